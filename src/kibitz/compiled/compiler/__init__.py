"""numba, the compiler of kernels. Imported only when a kernel has to be compiled; nothing else imports numba."""
