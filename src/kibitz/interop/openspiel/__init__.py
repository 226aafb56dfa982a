"""OpenSpiel: our games as games of OpenSpiel, and its bots as our agents, also in games that both have."""

from kibitz.interop.openspiel.games import load, register

__all__ = ["load", "register"]
