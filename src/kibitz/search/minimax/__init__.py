"""Minimax with occasional random moves: the agent, the compiled kernel, and a readable version."""
