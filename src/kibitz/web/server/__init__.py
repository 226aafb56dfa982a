"""The HTTP server: addresses, engines, limits, metrics, and the files of the page."""
