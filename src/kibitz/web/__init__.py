"""The page: a server that judges games, and the files a browser needs to show them."""
