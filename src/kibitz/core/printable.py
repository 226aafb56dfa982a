"""Texts from outside, made harmless before anybody is shown them."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return a text with a ? instead of each control character, ends of lines among them."""
    return "".join(char if char.isprintable() else "?" for char in text)
