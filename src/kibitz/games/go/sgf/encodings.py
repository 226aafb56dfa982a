"""Bytes of a record into text: which encoding they are in.

A byte order mark decides, then UTF-8 where the bytes are valid as such, then the
file's own CA property, then which of the encodings of East Asia and of the West
the bytes look most like. Bytes that are not valid become lone surrogates, so
that encoding the text again gives the same bytes.
"""

from __future__ import annotations

import codecs
import re

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_CA = re.compile(rb"(?<![A-Z])CA\s*\[\s*([^\]\s]{1,40})\s*\]")
_UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_HIGH = re.compile(rb"[\x80-\xff]")
_ALONE = re.compile(rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])")
_WIDER = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "cp950",
    "iso8859-1": "cp1252",
    "ascii": "utf-8",
}
"""Encodings that programs name when they mean one with more characters."""
_OTHER_NAMES = {"euc-cn": "gb18030", "x-gbk": "gb18030", "ms_kanji": "cp932", "x-sjis": "cp932", "ks_c_5601": "cp949"}
_LOOKED_AT = 1 << 16
"""So many bytes are looked at to tell encodings apart, from the first on that is not ASCII."""


def decode(data: bytes) -> tuple[str, str]:
    """Return the text of some bytes and the name of their encoding."""
    encoding = detect(data)
    return data.decode(encoding, "surrogateescape" if not encoding.startswith("utf-16") else "replace"), encoding


def encode(text: str, encoding: str) -> bytes:
    """Return the bytes of a text; characters that the encoding has not become question marks."""
    try:
        return text.encode(encoding, "surrogateescape" if not encoding.startswith("utf-16") else "replace")
    except UnicodeEncodeError:
        return text.encode(encoding, "replace")


def detect(data: bytes) -> str:
    """Return the encoding that some bytes are most likely in, by the name of its codec."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    if (wide := _wide(data)) is not None:
        return wide
    named = _named(data)
    if named is not None and named.startswith("iso2022"):
        return named
    if data.isascii():
        return "utf-8"
    if _is_valid(data, "utf-8") and (named is None or _HIGH_OF_THREE.search(data) or not _is_valid(data, named)):
        return "utf-8"
    if named is not None and named != "utf-8" and _is_valid(data, named):
        return named
    first = _HIGH.search(data)
    looked_at = data[first.start() : first.start() + _LOOKED_AT] if first else data[:_LOOKED_AT]
    whole = sum(len(found[0]) for found in _UTF8.finditer(looked_at))
    if whole > 0.5 * len(_HIGH.findall(looked_at)):  # UTF-8 with some bytes spoilt
        return "utf-8"
    return named if named is not None and named != "utf-8" else _likeliest(looked_at)


_HIGH_OF_THREE = re.compile(rb"[\xe0-\xf4]")


def _wide(data: bytes) -> str | None:
    """Return a UTF-16 without a mark, by the zero bytes of its first letters."""
    start = data[:400]
    if len(start) >= 4 and len(start) % 2 == 0:
        if start[1::2].count(0) > 0.8 * len(start) / 2:
            return "utf-16-le"
        if start[0::2].count(0) > 0.8 * len(start) / 2:
            return "utf-16-be"
    return None


_UNFIT = ("utf-16", "utf-32", "utf-7", "hz", "iso2022_kr", "idna", "punycode", "unicode", "raw")
"""How the names of codecs begin that are no encodings of records in bytes, or that fail on a spoilt one."""


def _named(data: bytes) -> str | None:
    """Return the codec that the first CA property names, or None."""
    found = _CA.search(data)
    if found is None:
        return None
    name = found[1].decode("ascii", "replace").lower()
    try:
        name = codecs.lookup(_OTHER_NAMES.get(name, name)).name
    except (LookupError, ValueError):
        return None
    if name.startswith(_UNFIT) or not _is_text_codec(name):
        return None
    return _WIDER.get(name, name)


def _is_text_codec(name: str) -> bool:
    """Return whether a codec turns bytes into text and leaves what SGF is made of as it is."""
    try:
        return b"(;B[])".decode(name) == "(;B[])"
    except (LookupError, ValueError):
        return False


def _is_valid(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _likeliest(data: bytes) -> str:
    """Return the encoding whose common characters the bytes hit best."""
    high = len(_HIGH.findall(data))
    if len(_ALONE.findall(data)) > 0.7 * high:  # letters with accents among others
        low = sum(byte < 0xA0 for byte in data if byte >= 0x80)
        return "mac_roman" if 2 * low > high else "cp1252"
    scores = {encoding: _commonness(data, encoding) for encoding in _COMMON}
    best = max(scores, key=lambda encoding: scores[encoding])
    return best if scores[best] > 0 else "cp1252"


_COMMON: dict[str, tuple[tuple[int, int, float], ...]] = {
    "gb18030": ((0xB0, 0xD7, 1.0), (0xA1, 0xA3, 0.6), (0xD8, 0xF7, 0.3)),
    "cp949": ((0xB0, 0xC8, 1.01), (0xA1, 0xA3, 0.6), (0xCA, 0xFD, 0.1)),
    "cp950": ((0xA4, 0xC6, 1.0), (0xA1, 0xA3, 0.6), (0xC9, 0xF9, 0.3)),
    "cp932": ((0x82, 0x83, 1.0), (0x88, 0x97, 0.95), (0x81, 0x81, 0.6), (0x98, 0x9F, 0.3), (0xE0, 0xEA, 0.3)),
    "euc_jp": ((0xA4, 0xA5, 1.1), (0xB0, 0xCF, 0.9), (0xA1, 0xA3, 0.6), (0xD0, 0xF4, 0.3)),
}
"""Encoding -> ranges of first bytes of its two-byte characters, with how common these are in names and comments."""
_SHORT = 6
"""Fewer characters than this are taken for Chinese rather than Korean when they could be both."""


def _commonness(data: bytes, encoding: str) -> float:
    """Return how common the characters are on average that the bytes stand for; 0 if they are not valid."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if error.start < len(data) - 4:
            return 0.0
        text = data[: error.start].decode(encoding)  # cut within a character
    total, n = 0.0, 0
    for char in text:
        if char.isascii():
            continue
        code = char.encode(encoding)
        n += 1
        if len(code) == 2:
            total += next((worth for low, high, worth in _COMMON[encoding] if low <= code[0] <= high), 0.05)
    if encoding == "cp949" and n < _SHORT:
        total -= 0.02 * n
    return total / n if n else 0.0
