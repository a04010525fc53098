"""Learners, a file each; `LEARNERS` is their registry."""

from __future__ import annotations

from typing import Any

from empirisk.capabilities import by_name, offers
from empirisk.online.learners.adagrad import Adagrad
from empirisk.online.learners.coin_betting import CoinBetting
from empirisk.online.learners.exponentiated_gradient import ExponentiatedGradient
from empirisk.online.learners.follow_the_leader import FollowTheLeader
from empirisk.online.learners.follow_the_regularized_leader import FollowTheRegularizedLeader
from empirisk.online.learners.forward_ridge import ForwardRidge
from empirisk.online.learners.ftrl_proximal import FTRLProximal
from empirisk.online.learners.full_adagrad import FullAdagrad
from empirisk.online.learners.gradient_descent import GradientDescent
from empirisk.online.learners.implicit_descent import ImplicitDescent
from empirisk.online.learners.mirror_descent import MirrorDescent
from empirisk.online.learners.mixture import Mixture
from empirisk.online.learners.newton_step import NewtonStep
from empirisk.online.learners.normalized_adagrad import NormalizedAdagrad
from empirisk.online.learners.scale_free_betting import ScaleFreeBetting
from empirisk.texts import parse, text_of

__all__ = [
    "LEARNERS",
    "Adagrad",
    "CoinBetting",
    "ExponentiatedGradient",
    "FTRLProximal",
    "FollowTheLeader",
    "FollowTheRegularizedLeader",
    "ForwardRidge",
    "FullAdagrad",
    "GradientDescent",
    "ImplicitDescent",
    "MirrorDescent",
    "Mixture",
    "NewtonStep",
    "NormalizedAdagrad",
    "ScaleFreeBetting",
    "as_learner",
    "learner_text",
]

LEARNERS: dict[str, Any] = by_name(
    GradientDescent,
    ImplicitDescent,
    FollowTheLeader,
    FollowTheRegularizedLeader,
    MirrorDescent,
    ExponentiatedGradient,
    Adagrad,
    FullAdagrad,
    CoinBetting,
    ScaleFreeBetting,
    NormalizedAdagrad,
    Mixture,
    ForwardRidge,
    NewtonStep,
    FTRLProximal,
)


def as_learner(spec: Any) -> Any:
    """A learner from a name ('adagrad'), a name with parameters ('gradient_descent:steps=inverse') or one itself."""
    learner = _parse(spec) if isinstance(spec, str) else spec
    if isinstance(learner, type) or not offers(learner, "begin") or not offers(learner, "bound"):
        raise TypeError(f"learner must be {_choices()} or a learner such as er.online.Adagrad(), got {spec!r}")
    if offers(learner, "with_parts"):
        learner = learner.with_parts(as_learner)
    refusal = learner.refusal()
    if refusal:
        raise ValueError(refusal)
    return learner


def learner_text(learner: Any) -> str:
    """The text that `as_learner` reads back."""
    return text_of(learner)


def _choices() -> str:
    return "one of " + ", ".join(map(repr, LEARNERS))


def _parse(text: str) -> Any:
    cls = LEARNERS.get(text.partition(":")[0])
    if cls is None:
        raise ValueError(f"learner must be {_choices()}, got {text!r}")
    return parse(text, cls, "learner")
