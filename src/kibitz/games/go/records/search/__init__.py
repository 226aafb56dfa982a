"""The search for patterns in the games of a store."""
