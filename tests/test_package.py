"""The package as a user imports it."""

import subprocess
import sys

import pytest

import empirisk

VERBS = (
    "chain_data check_loss enclosing_ball fewest_errors group_lasso load minimize path perceptron realize save score "
    "separate strength_grid strongest verify widest_gap"
)
ESTIMATORS = (
    "ChainClassifier ExactClassifier LinearClassifier LinearRegressor MaxMarginClassifier NotSeparated "
    "OnlineClassifier OnlineRegressor Perceptron StructuralRiskMinimizer"
)
PROBLEMS = "ChainRisk EmpiricalRisk MulticlassRisk"
ANSWERS = (
    "ClassificationScore FewestErrors HiddenMarkovModel Path PerceptronRun PerceptronStatus RegressionScore Solution "
    "Status TargetsScore Trace Undecided"
)
CERTIFICATES = (
    "ChainGap CountedFrequencies DualityGap EnclosingBall FineSeparation Inseparability MistakeBound Realization "
    "RegretBound RiskBound "
    "Separation SequenceConflict SequenceMistakeBound Stationarity UnattainedInfimum WidestGap ZeroOneOptimality"
)
LOSSES = (
    "Absolute EpsilonInsensitive Exponential Hinge Huber Logistic ModifiedHuber Poisson Quantile SmoothedHinge Squared "
    "SquaredEpsilonInsensitive SquaredHinge ZeroOne"
)
PENALTIES = "Box ElasticNet GroupLasso HalfSpace L1Ball L2Ball NegativeEntropy Simplex"
SOLVERS = (
    "Adagrad CoordinateDescent FISTA FrankWolfe GradientDescent LBFGS Newton ProjectedGradient ProjectedSubgradient "
    "SAGA SDCA SGD SVRG"
)
ROOMS = ("certificates", "constraints", "losses", "regularizers", "solvers", "vector_losses")


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_import_is_light():
    heavy = "numpy", "scipy", "numba", "sklearn", "matplotlib", "click", "rich", "safetensors"
    loaded = run("import sys, empirisk; print(*sys.modules)").split()
    assert not set(heavy) & set(loaded)


def test_the_front_door():
    """Who adds a name decides whether many people need it: if not, its room is enough."""
    expected = " ".join((VERBS, ESTIMATORS, PROBLEMS, ANSWERS, CERTIFICATES, LOSSES, PENALTIES, SOLVERS)).split()
    assert sorted(empirisk.__all__) == sorted(["__version__", *expected])


@pytest.mark.parametrize("room", [*ROOMS, "online"])  # learners may have the names of solvers
def test_rooms_open_when_they_are_entered(room):
    code = (
        "import sys, empirisk as er\n"
        f"assert {room!r} in dir(er) and 'empirisk.{room}' not in sys.modules\n"
        f"print(er.{room}.__name__)"
    )
    assert run(code).strip() == f"empirisk.{room}"


def test_what_is_at_the_front_door_is_in_a_room_too():
    rooms = [getattr(empirisk, room) for room in ROOMS]
    for name in " ".join((LOSSES, PENALTIES, SOLVERS, CERTIFICATES)).split():
        found = [getattr(room, name) for room in rooms if name in room.__all__]
        assert found == [getattr(empirisk, name)], name


def test_every_entry_of_a_registry_is_in_its_room():
    for room in ("losses", "constraints", "regularizers", "solvers"):
        registry = room.upper()
        opened = getattr(empirisk, room)
        assert {part.__name__ for part in getattr(opened, registry).values()} <= set(opened.__all__)


def test_every_kind_of_certificate_is_in_its_room():
    code = (
        "import sys, empirisk as er\n"
        "names = [name for name in er.certificates.__all__ if name in dir(er) or name == 'ClassGaps']\n"
        "assert 'empirisk.separation' not in sys.modules\n"
        "print(*sorted(er.certificates.known_kinds()))\n"
        "from empirisk.capabilities import name_of\n"
        "print(*sorted(name_of(getattr(er.certificates, name)) for name in names if name[0].isupper()))\n"
        "print(*sorted(er.certificates.KINDS))"
    )
    known, in_room, loaded = run(code).splitlines()
    assert known == in_room == loaded
    with pytest.raises(AttributeError, match="has no attribute 'separation'"):
        _ = empirisk.certificates.separation


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
