"""The subcommands of kibitz go."""
