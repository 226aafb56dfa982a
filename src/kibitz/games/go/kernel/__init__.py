"""The rules of Go as compiled kernels, equivalent to the rules package."""
