"""Default parts for games without their own (page, picture, notations), and ready-made rules for grid games."""
