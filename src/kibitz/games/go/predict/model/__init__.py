"""The pattern model: predicts moves and gives reasons."""
