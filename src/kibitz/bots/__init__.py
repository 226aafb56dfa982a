"""Outside programs as agents of kibitz, and our agents as programs for others."""
