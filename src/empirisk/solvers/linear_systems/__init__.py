"""Newton's linear systems: factors, conjugate gradients, and what preconditions them."""
