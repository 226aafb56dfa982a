"""Errors in input from a person, a file or another program.

Every message is one sentence in the user's words: what is wrong, where, and how to fix it. The command line
prints it and exits with status 2. A bug in kibitz itself is never a KibitzError.
"""


class KibitzError(Exception):
    """Base class of errors caused by a user, a file or another program."""


class IllegalMove(KibitzError):
    """The rules forbid this move in this position."""


class BadText(KibitzError):
    """A text cannot be parsed, or describes something impossible."""


class BadOption(KibitzError):
    """A game, agent or option is unknown, or an option has an invalid value."""


class AgentFault(KibitzError):
    """An agent failed, and therefore loses the game."""

    kind = "fault"
    """What went wrong, in a word or two, for the game record."""


class OutOfTime(AgentFault):
    """An agent did not answer in time."""

    kind = "out of time"


class Died(AgentFault):
    """An outside program ended or closed its output while an answer was due."""

    kind = "died"


class Flood(AgentFault):
    """An outside program sent too much output."""

    kind = "flood"


class Garbage(AgentFault):
    """An outside program sent an answer that the protocol does not allow."""

    kind = "garbage"


class Resigned(AgentFault):
    """An agent resigned: it loses the game, but did nothing wrong."""

    kind = "resigned"
