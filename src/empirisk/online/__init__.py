"""Online learning: a learner answers each row before it sees the label, and its regret stands beside its bound."""

from empirisk.online.best_regularizer import BestRegularizer, best_regularizer
from empirisk.online.experts import HedgeRun, hedge
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
from empirisk.online.regret import RegretAt
from empirisk.online.regret_bound import RegretBound
from empirisk.online.regret_trace import RegretTrace
from empirisk.online.run import Overflowed, Run
from empirisk.online.to_batch import FutureLoss, future_loss, plan

__all__ = [
    "LEARNERS",
    "Adagrad",
    "BestRegularizer",
    "CoinBetting",
    "ExponentiatedGradient",
    "FTRLProximal",
    "FollowTheLeader",
    "FollowTheRegularizedLeader",
    "ForwardRidge",
    "FullAdagrad",
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
    "best_regularizer",
    "future_loss",
    "hedge",
    "learn",
    "learner_text",
    "plan",
]
