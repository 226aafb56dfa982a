"""The rules of Go, in readable Python."""

from kibitz.games.go.rules.rules import Go, GoState

__all__ = ["Go", "GoState"]
