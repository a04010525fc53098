"""How wrong a fitted model may be on new rows: which bounds it has, and the plane whose bound is least."""
