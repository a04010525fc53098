"""Settings for every test."""

import os

from hypothesis import settings

# No test may fail because the machine was busy; on CI the examples are the same every time.
settings.register_profile("project", deadline=None, max_examples=50, derandomize=bool(os.environ.get("CI")))
settings.load_profile("project")
