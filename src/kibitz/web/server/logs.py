"""Logging to standard error: lines for people, or one JSON object a line for programs.

Anything that looks like a token is masked, whoever logged it. Below warnings only kibitz
itself is logged, because libraries at their lowest levels log what is sent.
"""

from __future__ import annotations

import json
import logging
import re
from datetime import UTC, datetime

TOKEN = re.compile(r"(?<![\w-])[\w-]{32}(?![\w-])", re.ASCII)
"""A token of a seat or a tournament, see new_token in setup.py."""
MASK = "(masked)"
_PLAIN = {*logging.makeLogRecord({}).__dict__, "message", "asctime"}
"""Attributes of every log record; others were added by the caller."""


class TextFormatter(logging.Formatter):
    """A line for people, and the error below it."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as text, without tokens."""
        return masked(super().format(record))


class JsonFormatter(logging.Formatter):
    """One JSON object: time, level, logger, message, fields, and the error if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as a line, without tokens."""
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "fields": {name: value for name, value in record.__dict__.items() if name not in _PLAIN},
        }
        if record.exc_info:
            told["error"] = self.formatException(record.exc_info)
        return masked(json.dumps(told, default=str))


FORMATS = {"text": TextFormatter, "json": JsonFormatter}


def masked(text: str) -> str:
    """Return a text with everything that looks like a token masked."""
    return TOKEN.sub(MASK, text)


def log_to_stderr(level: str, form: str) -> None:
    """Log kibitz from a level on, and the warnings of libraries."""
    handler = logging.StreamHandler()
    handler.setFormatter(FORMATS[form]())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)
    logging.getLogger("kibitz").setLevel(level.upper())
