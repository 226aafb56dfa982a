"""The search for patterns in records."""
