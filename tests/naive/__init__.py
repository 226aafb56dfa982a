"""Brute-force references: plain, slow, written apart from what they check."""
