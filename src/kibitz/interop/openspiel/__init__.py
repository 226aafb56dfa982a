"""OpenSpiel: our games in it, its bots as our agents, its own games as twins of ours."""

from kibitz.interop.openspiel.games import load, register

__all__ = ["load", "register"]
