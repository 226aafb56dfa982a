"""Games between agents, judged on the readable rules."""
