"""Players of Go that know professional games: by patterns, by a net, and by a search that follows either."""
