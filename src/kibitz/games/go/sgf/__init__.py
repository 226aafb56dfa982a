"""Records in the Smart Game Format: any file into trees, any number of games into arrays, and back to files."""
