"""The rules of Go, in readable Python."""

from kibitz.games.go.rules.rules import Go, State

__all__ = ["Go", "State"]
