"""Programs from outside as players, and our agents as programs for others."""
