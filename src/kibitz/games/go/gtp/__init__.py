"""The Go Text Protocol, from both sides."""
