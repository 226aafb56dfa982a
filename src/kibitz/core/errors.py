"""What kibitz raises when the person, file or program it talks to is at fault.

Every message is one sentence in the user's words: what was wrong, where, and
what would be right. The command line prints it and exits with 2. A bug of
kibitz itself is never a KibitzError.
"""


class KibitzError(Exception):
    """Report a mistake in what kibitz was given."""


class IllegalMove(KibitzError):
    """Report a move that the rules forbid in this position."""


class BadText(KibitzError):
    """Report a text that cannot be read, or that describes something impossible."""


class BadOption(KibitzError):
    """Report an unknown game, agent or option, or a value it cannot take."""


class AgentFault(KibitzError):
    """Report that an agent did not do its part. In a game this loses it."""

    kind = "fault"
    """What went wrong, in a word or two for the record."""


class OutOfTime(AgentFault):
    """Report that an agent did not answer in its time."""

    kind = "out of time"


class Resigned(AgentFault):
    """Report that an agent gives the game up. In a game this loses it, and is no fault."""

    kind = "resigned"
