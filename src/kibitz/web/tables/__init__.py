"""Games on the page: the table and its judge, its files, seats, clients and analysis."""
