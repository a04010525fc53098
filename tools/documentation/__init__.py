"""Pages and pictures of the documentation, made from the docstrings and methods of the registries."""
