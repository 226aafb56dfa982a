"""Games on the page: tables and their rules, files, seats, clients and analysis."""
