"""Go: rules, players, records in SGF, patterns mined from them, and the page."""
