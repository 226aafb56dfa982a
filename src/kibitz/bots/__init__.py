"""Outside programs as agents, and our agents as programs for others."""
