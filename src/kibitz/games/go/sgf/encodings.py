"""Detecting the text encoding of a record.

In this order: a byte order mark; UTF-8, if the bytes are valid UTF-8; the CA
property of the file; the East Asian or Western encoding whose common characters
fit best. Invalid bytes become lone surrogates, so that encoding the text again
restores the same bytes.
"""

from __future__ import annotations

import codecs
import re

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_CA = re.compile(rb"(?<![A-Z])CA\s*\[\s*([^\]\s]{1,40})\s*\]")
_UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_HIGH = re.compile(rb"[\x80-\xff]")
_LONG_LEAD = re.compile(rb"[\xe0-\xf4]")
_LONE_HIGH = re.compile(rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])")
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "cp950",
    "iso8859-1": "cp1252",
    "ascii": "utf-8",
}
"""Encoding named in a file -> the superset that programs actually write."""
_OTHER_NAMES = {"euc-cn": "gb18030", "x-gbk": "gb18030", "ms_kanji": "cp932", "x-sjis": "cp932", "ks_c_5601": "cp949"}
MAX_EXAMINED_BYTES = 1 << 16
"""Examine at most this many bytes to guess an encoding, starting with the first that is not ASCII."""


def decode(data: bytes) -> tuple[str, str]:
    """Decode bytes; return the text and the name of the detected codec."""
    encoding = detect(data)
    return data.decode(encoding, "surrogateescape" if not encoding.startswith("utf-16") else "replace"), encoding


def encode(text: str, encoding: str) -> bytes:
    """Encode a text; characters that the encoding lacks become question marks."""
    try:
        return text.encode(encoding, "surrogateescape" if not encoding.startswith("utf-16") else "replace")
    except UnicodeEncodeError:
        return text.encode(encoding, "replace")


def detect(data: bytes) -> str:
    """Guess the encoding of bytes; return the name of its codec."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    if (utf16 := _utf16_codec(data)) is not None:
        return utf16
    declared = _declared_codec(data)
    if declared is not None and declared.startswith("iso2022"):
        return declared
    if data.isascii():
        return "utf-8"
    if _is_valid(data, "utf-8") and (declared is None or _LONG_LEAD.search(data) or not _is_valid(data, declared)):
        return "utf-8"
    if declared is not None and declared != "utf-8" and _is_valid(data, declared):
        return declared
    first = _HIGH.search(data)
    start = first.start() if first else 0
    examined = data[start : start + MAX_EXAMINED_BYTES]
    utf8_bytes = sum(len(found[0]) for found in _UTF8.finditer(examined))
    if utf8_bytes > 0.5 * len(_HIGH.findall(examined)):  # mostly valid UTF-8
        return "utf-8"
    return declared if declared is not None and declared != "utf-8" else _likeliest_codec(examined)


def _utf16_codec(data: bytes) -> str | None:
    """Return the UTF-16 codec if the zero bytes suggest UTF-16 without a byte order mark, else None."""
    start = data[:400]
    if len(start) >= 4 and len(start) % 2 == 0:
        if start[1::2].count(0) > 0.8 * len(start) / 2:
            return "utf-16-le"
        if start[0::2].count(0) > 0.8 * len(start) / 2:
            return "utf-16-be"
    return None


_UNUSABLE = ("utf-16", "utf-32", "utf-7", "hz", "iso2022_kr", "idna", "punycode", "unicode", "raw")
"""Prefixes of codec names to reject: they cannot encode SGF files, or fail on invalid bytes."""


def _declared_codec(data: bytes) -> str | None:
    """Return the codec named by the first CA property, or None if it is missing or unusable."""
    found = _CA.search(data)
    if found is None:
        return None
    name = found[1].decode("ascii", "replace").lower()
    try:
        name = codecs.lookup(_OTHER_NAMES.get(name, name)).name
        keeps_ascii = b"(;B[])".decode(name) == "(;B[])"
    except (LookupError, ValueError):
        return None
    return _SUPERSETS.get(name, name) if keeps_ascii and not name.startswith(_UNUSABLE) else None


def _is_valid(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _likeliest_codec(data: bytes) -> str:
    """Return the codec in which the bytes decode to the most commonly used characters."""
    high_bytes = len(_HIGH.findall(data))
    if len(_LONE_HIGH.findall(data)) > 0.7 * high_bytes:  # accented letters among ASCII
        below_a0 = sum(byte < 0xA0 for byte in data if byte >= 0x80)
        return "mac_roman" if 2 * below_a0 > high_bytes else "cp1252"
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
"""Encoding -> (first lead byte, last lead byte, how common such two-byte characters are in names and comments)."""
MIN_KOREAN_CHARACTERS = 6  # for texts with fewer characters that could be either, prefer Chinese to Korean


def _commonness(data: bytes, encoding: str) -> float:
    """Return how common the decoded characters are on average; 0 if the bytes are invalid in this encoding."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if error.start < len(data) - 4:
            return 0.0
        text = data[: error.start].decode(encoding)  # the examined bytes end within a character
    total, n = 0.0, 0
    for char in text:
        if char.isascii():
            continue
        code = char.encode(encoding)
        n += 1
        if len(code) == 2:
            total += next((weight for low, high, weight in _COMMON[encoding] if low <= code[0] <= high), 0.05)
    if encoding == "cp949" and n < MIN_KOREAN_CHARACTERS:
        total -= 0.02 * n
    return total / n if n else 0.0
