"""HTML documents and SVG charts for reviews and reports."""
