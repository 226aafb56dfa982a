"""Alpha-beta: the agent, the compiled kernel, and a readable version."""
