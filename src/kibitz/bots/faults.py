"""What outside programs do wrong; silence is OutOfTime, of the core."""

from __future__ import annotations

from kibitz.core.errors import AgentFault


class Died(AgentFault):
    """Report that a program ended, or closed its output, when an answer was due."""

    kind = "died"


class Flood(AgentFault):
    """Report that a program sent more than anybody would read."""

    kind = "flood"


class Garbage(AgentFault):
    """Report an answer that the protocol does not know."""

    kind = "garbage"


def shortened(text: str, most: int = 80) -> str:
    """Return a text from outside in quotes, without control characters and not too long."""
    return repr(text if len(text) <= most else text[:most] + "...")
