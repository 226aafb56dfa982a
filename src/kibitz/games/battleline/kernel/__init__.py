"""The compiled twin of the rules of Battle Line."""
