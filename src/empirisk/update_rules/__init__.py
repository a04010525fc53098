"""Steps from one row at a time, as methods: kernels of solvers call them, and an online learner can."""
