"""Mining a store of Go records: patterns, templates, fuseki, joseki, the meanings of moves, and styles of players."""
