"""Monte Carlo tree search for Go, guided by a policy net, patterns or learned windows."""
