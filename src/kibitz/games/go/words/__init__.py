"""Moves of Go explained in words: each statement is proved by the rules or by reading before it is made."""
