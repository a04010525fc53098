"""The thread pools of BLAS and OpenMP."""

from threadpoolctl import ThreadpoolController

# Made once: looking for the loaded libraries takes milliseconds, which would be charged to the fit.
THREAD_POOLS = ThreadpoolController()
