"""Openings mined from records: fuseki and joseki."""
