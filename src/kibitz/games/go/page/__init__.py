"""Go on the page."""
