"""Game records in SGF, the Smart Game Format: read files into trees, or many games into arrays, and write files."""
