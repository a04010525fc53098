"""docs/learners.md: an overview of the online learners, and an entry for each with its theorem and its regret."""

from __future__ import annotations

from typing import Any

from empirisk.capabilities import name_of
from empirisk.online import LEARNERS
from tools.documentation.docstrings import REFERENCE, USE, Told, first_use, told
from tools.documentation.learner_pictures import BALL, ROUNDS, Shown, learner_picture, shown_game
from tools.documentation.markdown import call, code, facts, image, prose, table

INTRODUCTION = f"""# Learners

<!-- Generated from the docstrings in src/empirisk/online/learners by `make docs`: edit those. -->

Every learner of [online learning](online_learning.md), which says what a round is and what regret is, and proves what
is short enough. Give a name, a name with parameters, or an object: `learner="adagrad"`, `learner="adagrad:alpha=0.3"`,
`learner=er.online.Adagrad(alpha=0.3)`; on the command line `--learner adagrad:alpha=0.3`. To add one, see [adding a
learner](contributing/adding_a_learner.md).

Every loss must be convex. In the formulas g = s loss'(z) (x, 1) is the gradient of a round, K the number of rounds, and
Omega the penalty and the constraint as one function.

Each picture is a game of {ROUNDS} rounds, both axes logarithmic: the regret after 1, 2, 4, ... rounds against the best
point of the learner's own set, or of `{BALL}` where it has none, beside the bound of its theorem at that point. Rows
have length one, labels follow a plane with noise. The parameters are the defaults."""


def learners_page() -> tuple[str, dict[str, str]]:
    """The whole page, and its pictures by name."""
    heads = {name: told(cls, (USE, REFERENCE)) for name, cls in LEARNERS.items()}
    games = {name: shown_game(cls()) for name, cls in LEARNERS.items()}
    rows = ([f"[{code(name)}](#{name})", prose(first_use(heads[name])), _bound_text(games[name])] for name in LEARNERS)
    overview = table(("name", "use it", "bound"), rows)
    entries = [_entry(cls, heads[name], games[name]) for name, cls in LEARNERS.items()]
    page = "\n\n".join(section.strip() for section in (INTRODUCTION, overview, *entries)) + "\n"
    return page, {f"regret_of_{name}": learner_picture(name, shown) for name, shown in games.items()}


def _bound_text(shown: Shown) -> str:
    return "yes" if shown.has_bound else "none claimed"


def _entry(cls: Any, head: Told, shown: Shown) -> str:
    name = name_of(cls)
    played = ", ".join(f"{key}={value!r}" for key, value in shown.setting.items())
    listed = facts(
        (
            ("Theorem", prose(cls().theorem())),
            ("Reference", prose(head.parts[REFERENCE])),
            ("Needs", ", ".join(map(code, cls().needs))),
            ("Game shown", code(played)),
        )
    )
    texts = [
        f"## {name}",
        f"{code(call(cls))}. {prose(head.head)}",
        prose(f"{head.note} {head.parts[USE]}".strip()),
        image(f"Regret of {name} over the rounds, beside its bound", f"pictures/regret_of_{name}.svg"),
        listed,
    ]
    return "\n\n".join(texts)
