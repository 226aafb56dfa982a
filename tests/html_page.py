"""HTML as a browser would read it."""

from __future__ import annotations

from html.parser import HTMLParser


class HtmlPage(HTMLParser):
    """Checks that every element is closed in order, and collects the addresses that a page refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.links = list[str](), list[str]()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the addresses of an element that begins."""
        self.links += [value or "" for key, value in attrs if key in ("src", "href", "srcset", "data")]
        if tag not in ("meta", "input", "br", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Check that the element was opened last."""
        assert self.open.pop() == tag
