"""What only developers run: fuzzing, faults, load, soak."""
