"""What is learnt from a store of Go records: patterns, templates, fuseki, joseki, what moves mean, and players."""
