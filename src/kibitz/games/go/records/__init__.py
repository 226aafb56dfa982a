"""Go records: a store of games, the parsing of their heads, and pattern search."""
