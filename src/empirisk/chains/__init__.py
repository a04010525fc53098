"""Labels of sequences: chains, in which a label depends on the token and on the label before it."""
