"""The package as a user imports it."""

import subprocess
import sys

import pytest

import empirisk


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_import_is_light():
    heavy = "numpy", "scipy", "numba", "sklearn", "matplotlib", "click", "rich", "safetensors"
    loaded = run("import sys, empirisk; print(*sys.modules)").split()
    assert not set(heavy) & set(loaded)


def test_fitting_and_predicting_load_no_scikit_learn():
    code = (
        "import sys, numpy as np\n"
        "from empirisk.models import fit_linear, FitOptions\n"
        "X = np.arange(8.0).reshape(4, 2); y = np.array([0, 0, 1, 1])\n"
        "model = fit_linear(X, y, FitOptions()).model\n"
        "model.predict(X)\n"
        "print('sklearn' in sys.modules)\n"
    )
    assert run(code).strip() == "False"


@pytest.mark.parametrize("name", empirisk.__all__)
def test_every_public_name_is_there_whatever_was_imported_first(name):
    if name == "__version__":
        return
    assert getattr(empirisk, name) is not None
    assert type(getattr(empirisk, name)).__name__ != "module"


def test_submodules_do_not_shadow_functions():
    code = "import empirisk.models, empirisk.driver, empirisk as er; print(callable(er.minimize))"
    assert run(code).strip() == "True"


def test_unknown_names_are_named():
    with pytest.raises(AttributeError, match="nonsense"):
        _ = empirisk.nonsense
    assert "minimize" in dir(empirisk)
