"""Can the sequences be realised? Weights that label all of them right, or labelings that forbid it, with proof."""
