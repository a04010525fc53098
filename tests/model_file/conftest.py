"""A fitted model to write and to damage."""

import pytest

from empirisk.models import LinearModel
from tests.model_file.files import fitted


@pytest.fixture(scope="session")
def model() -> LinearModel:
    return fitted()
