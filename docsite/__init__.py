"""How the documentation site is made from docs/, from the sources and from stored results."""
