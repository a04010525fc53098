"""empirisk: empirical risk minimization with a proof."""

from __future__ import annotations

import importlib
from typing import Any

from empirisk import garbage
from empirisk.homes import register_home

__version__ = "0.1.0"

# The parts of problems, and how they are solved and proven: er.losses.Huber, er.solvers.Newton. What few people need is
# only there.
_ROOMS = ("bounds", "certificates", "constraints", "losses", "online", "regularizers", "solvers", "vector_losses")

# The certificates of chapters -> module, for the front door, for `er.certificates` and for files that name their kind.
_CERTIFICATES = {
    "ChainGap": "empirisk.chains.gap.chain_gap",
    "CountedFrequencies": "empirisk.chains.generative.counted_frequencies",
    "EnclosingBall": "empirisk.separation.enclosing_ball",
    "FineSeparation": "empirisk.separation.fine_plane",
    "Inseparability": "empirisk.separation.inseparability",
    "MistakeBound": "empirisk.separation.mistake_bound",
    "RegretBound": "empirisk.online.regret_bound",
    "Realization": "empirisk.chains.verdicts.realization",
    "RiskBound": "empirisk.bounds.risk_bound",
    "Separation": "empirisk.separation.plane",
    "SequenceConflict": "empirisk.chains.verdicts.conflict",
    "SequenceMistakeBound": "empirisk.chains.verdicts.mistake_bound",
    "WidestGap": "empirisk.separation.widest_gap",
    "ZeroOneOptimality": "empirisk.zero_one.optimality",
}

# Public name -> module. Loaded on first use: `import empirisk` is quick and loads no heavy library.
_HOMES = {
    **_CERTIFICATES,
    "EmpiricalRisk": "empirisk.problems.empirical_risk",
    "MulticlassRisk": "empirisk.problems.multiclass_risk",
    "minimize": "empirisk.driver",
    "Path": "empirisk.paths",
    "path": "empirisk.paths",
    "strength_grid": "empirisk.paths",
    "strongest": "empirisk.paths",
    "Solution": "empirisk.solution",
    "Status": "empirisk.solution",
    "Trace": "empirisk.solution",
    "Absolute": "empirisk.losses",
    "EpsilonInsensitive": "empirisk.losses",
    "Exponential": "empirisk.losses",
    "Hinge": "empirisk.losses",
    "Huber": "empirisk.losses",
    "Logistic": "empirisk.losses",
    "ModifiedHuber": "empirisk.losses",
    "Poisson": "empirisk.losses",
    "Quantile": "empirisk.losses",
    "SmoothedHinge": "empirisk.losses",
    "Squared": "empirisk.losses",
    "SquaredEpsilonInsensitive": "empirisk.losses",
    "SquaredHinge": "empirisk.losses",
    "ZeroOne": "empirisk.losses",
    "check_loss": "empirisk.losses.check_loss",
    "ElasticNet": "empirisk.regularizers",
    "GroupLasso": "empirisk.regularizers",
    "NegativeEntropy": "empirisk.regularizers",
    "group_lasso": "empirisk.regularizers",
    "Box": "empirisk.constraints",
    "HalfSpace": "empirisk.constraints",
    "L1Ball": "empirisk.constraints",
    "L2Ball": "empirisk.constraints",
    "Simplex": "empirisk.constraints",
    "CoordinateDescent": "empirisk.solvers",
    "FISTA": "empirisk.solvers",
    "FrankWolfe": "empirisk.solvers",
    "GradientDescent": "empirisk.solvers",
    "LBFGS": "empirisk.solvers",
    "Newton": "empirisk.solvers",
    "ProjectedGradient": "empirisk.solvers",
    "SAGA": "empirisk.solvers",
    "SDCA": "empirisk.solvers",
    "SVRG": "empirisk.solvers",
    "SGD": "empirisk.solvers",
    "ProjectedSubgradient": "empirisk.solvers",
    "Adagrad": "empirisk.solvers",
    "DualityGap": "empirisk.certificates",
    "Stationarity": "empirisk.certificates",
    "UnattainedInfimum": "empirisk.certificates",
    "ChainClassifier": "empirisk.estimators",
    "ChainRisk": "empirisk.chains.risk",
    "chain_data": "empirisk.models.chains.fitting",
    "LinearClassifier": "empirisk.estimators",
    "LinearRegressor": "empirisk.estimators",
    "ExactClassifier": "empirisk.estimators",
    "MaxMarginClassifier": "empirisk.estimators",
    "NotSeparated": "empirisk.estimators",
    "OnlineClassifier": "empirisk.estimators",
    "OnlineRegressor": "empirisk.estimators",
    "Perceptron": "empirisk.estimators",
    "StructuralRiskMinimizer": "empirisk.estimators",
    "fewest_errors": "empirisk.zero_one.fewest_errors",
    "FewestErrors": "empirisk.zero_one.fewest_errors",
    "separate": "empirisk.separation.separate",
    "Undecided": "empirisk.separation.separate",
    "perceptron": "empirisk.separation.perceptron",
    "PerceptronRun": "empirisk.separation.perceptron",
    "PerceptronStatus": "empirisk.separation.perceptron_runs.status",
    "realize": "empirisk.chains.verdicts.realize",
    "widest_gap": "empirisk.separation.widest_gap",
    "HiddenMarkovModel": "empirisk.chains.hidden_markov",
    "enclosing_ball": "empirisk.separation.enclosing_ball",
    "ClassificationScore": "empirisk.evaluation",
    "RegressionScore": "empirisk.evaluation",
    "TargetsScore": "empirisk.evaluation",
    "score": "empirisk.evaluation",
    "verify": "empirisk.models",
    "load": "empirisk.model_file",
    "save": "empirisk.model_file",
}

__all__ = ["__version__", *sorted(_HOMES)]

for _name, _module in _CERTIFICATES.items():
    register_home(_name, _module)


def __getattr__(name: str) -> Any:
    if name not in _ROOMS and name not in _HOMES:
        raise AttributeError(f"module 'empirisk' has no attribute {name!r}")
    with garbage.kept():  # a seventh of the time to load scikit-learn, Numba and this package
        if name in _ROOMS:
            return importlib.import_module(f"empirisk.{name}")
        found = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, *_ROOMS]
