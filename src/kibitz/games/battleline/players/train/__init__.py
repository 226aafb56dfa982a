"""Training of the champion's net: self-play games, and nets fitted to their results."""
