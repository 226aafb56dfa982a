"""The compiled loops that mine patterns."""
