"""The players of Battle Line."""
