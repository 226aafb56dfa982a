"""Monte Carlo tree search: the agent, the compiled kernel, and a readable version."""
