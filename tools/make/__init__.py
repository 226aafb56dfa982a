"""Making the data that kibitz ships."""
