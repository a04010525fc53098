"""Settings for every test."""

import gc
import os

from hypothesis import settings

# No test may fail because the machine was busy; on CI the examples are the same every time.
settings.register_profile("project", deadline=None, max_examples=50, derandomize=bool(os.environ.get("CI")))
settings.load_profile("project")


def pytest_collection_finish():
    """Compiling makes many objects that live on: looking through them all for cycles was a seventh of its time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
