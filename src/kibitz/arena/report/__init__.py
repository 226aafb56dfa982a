"""The report of a tournament: its figures, and the page that shows them."""
