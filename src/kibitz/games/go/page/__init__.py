"""Go on the web page."""
