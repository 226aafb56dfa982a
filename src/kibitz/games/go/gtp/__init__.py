"""The Go Text Protocol (GTP): kibitz as an engine, and other engines as opponents."""
