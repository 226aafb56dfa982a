"""Faults of outside programs; for a missing answer see core.errors.OutOfTime."""

from __future__ import annotations

from kibitz.core.errors import AgentFault


class Died(AgentFault):
    """A program ended or closed its output when an answer was due."""

    kind = "died"


class Flood(AgentFault):
    """A program sent too much output."""

    kind = "flood"


class Garbage(AgentFault):
    """A program sent an answer that the protocol does not allow."""

    kind = "garbage"


def shortened(text: str, max_length: int = 80) -> str:
    """Return untrusted text in quotes, escaped and cut to max_length."""
    return repr(text if len(text) <= max_length else text[:max_length] + "...")
