"""The compiled twin of the rules of Go."""
