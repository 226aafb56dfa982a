"""HTML pages and charts for reviews and reports."""
