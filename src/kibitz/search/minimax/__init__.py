"""Minimax with random jumps: the agent, the compiled kernel, and a readable twin."""
