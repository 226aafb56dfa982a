"""Go records: a store of games, what their heads say, and the search for patterns in them."""
