"""OpenSpiel: our games as games of OpenSpiel, and its bots as our agents."""

from kibitz.interop.openspiel.games import load, register

__all__ = ["load", "register"]
