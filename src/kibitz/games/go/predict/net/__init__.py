"""The policy net: predicts moves with a small neural network."""
