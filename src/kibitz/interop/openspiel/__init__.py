"""OpenSpiel: our games in OpenSpiel, its bots as our agents, and games that both have."""

from kibitz.interop.openspiel.games import load, register

__all__ = ["load", "register"]
