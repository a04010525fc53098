"""Online learning: a learner answers each row before it sees the label, and its regret stands beside its bound."""

from empirisk.online.best_regularizer import BestRegularizer, best_regularizer
from empirisk.online.experts import BestExpert, HedgeRun, best_expert, hedge
from empirisk.online.learners import (
    LEARNERS,
    Adagrad,
    CoinBetting,
    ExponentiatedGradient,
    FollowTheLeader,
    FollowTheRegularizedLeader,
    ForwardRidge,
    FTRLProximal,
    FullAdagrad,
    GradientDescent,
    ImplicitDescent,
    MirrorDescent,
    Mixture,
    NewtonStep,
    NormalizedAdagrad,
    ScaleFreeBetting,
    as_learner,
    learner_text,
)
from empirisk.online.learning import learn
from empirisk.online.ledger import Ledger
from empirisk.online.passive_aggressive import AggressiveBound, passive_aggressive
from empirisk.online.regret import RegretAt
from empirisk.online.regret_bound import RegretBound
from empirisk.online.regret_trace import RegretTrace
from empirisk.online.run import Overflowed, Run
from empirisk.online.to_batch import (
    FutureErrors,
    FutureExcess,
    FutureLoss,
    future_errors,
    future_excess,
    future_loss,
    largest_loss,
    plan,
)

__all__ = [
    "LEARNERS",
    "Adagrad",
    "AggressiveBound",
    "BestExpert",
    "BestRegularizer",
    "CoinBetting",
    "ExponentiatedGradient",
    "FTRLProximal",
    "FollowTheLeader",
    "FollowTheRegularizedLeader",
    "ForwardRidge",
    "FullAdagrad",
    "FutureErrors",
    "FutureExcess",
    "FutureLoss",
    "GradientDescent",
    "HedgeRun",
    "ImplicitDescent",
    "Ledger",
    "MirrorDescent",
    "Mixture",
    "NewtonStep",
    "NormalizedAdagrad",
    "Overflowed",
    "RegretAt",
    "RegretBound",
    "RegretTrace",
    "Run",
    "ScaleFreeBetting",
    "as_learner",
    "best_expert",
    "best_regularizer",
    "future_errors",
    "future_excess",
    "future_loss",
    "hedge",
    "largest_loss",
    "learn",
    "learner_text",
    "passive_aggressive",
    "plan",
]
