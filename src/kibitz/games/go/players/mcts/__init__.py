"""Monte Carlo tree search for Go, with a policy net or learned windows."""
