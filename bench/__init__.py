"""Speeds and search signatures. python -m bench.uttt prints them."""
