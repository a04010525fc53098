"""docs/constraints.md: regularizers and constraints, an entry each, which go together, and with which solvers."""

from __future__ import annotations

import inspect
from typing import Any

from empirisk.constraints import CONSTRAINTS
from empirisk.losses import Hinge, Logistic
from empirisk.problems.penalty_and_constraint import join
from empirisk.protocols import Unsupported
from empirisk.report.markup import number
from tools.documentation.docstrings import REFERENCE, USE, Described, described, first_use
from tools.documentation.eligibility import solvers_of
from tools.documentation.markdown import call, code, facts, image, prose, python_name, table
from tools.documentation.set_examples import COLUMNS, CONSTRAINTS_SHOWN, REGULARIZERS, Example
from tools.documentation.set_pictures import panels_picture

ALLOWED = {
    "l1": ">= 0",
    "l2": ">= 0",
    "strength": "positive",
    "radius": "positive and finite",
    "low": "at most `high`, may be infinite",
    "high": "at least `low`, may be infinite",
    "normal": "a number for each column, not all zero",
    "offset": "finite",
    "groups": "lists of columns that hold every column once",
    "factors": "a number >= 0 for each group, the square root of its size where None",
}
FURTHER = [name for name in REGULARIZERS if name != "elastic_net"]  # which is l1 and l2
ASKED = {"a smooth loss (logistic)": Logistic(), "a loss with a kink (hinge)": Hinge()}

INTRODUCTION = """# Regularizers and constraints

<!-- Generated from the docstrings in src/empirisk/regularizers and src/empirisk/constraints by `make docs`. -->

The weights are kept small by the strengths `l1=` and `l2=` and by a further `regularizer=`, or inside of a set by
`constraint=`. The intercept is free of all of them. What is given together becomes one function Omega of the weights,
infinite outside of the set, with one prox and one conjugate: that is what [solvers](solvers.md) and
[certificates](certificates.md) see.
"""

EXAMPLE = """```python
import numpy as np

import empirisk as er

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
y = X @ [0.7, 0.3, 0.0] + 0.1 * rng.normal(size=200)
problem = er.EmpiricalRisk(X, y, "squared", l2=0.0, constraint=er.Simplex(), fit_intercept=False)
solution = er.minimize(problem)
print(solution.status, solution.weights.round(1), solution.weights.sum().round(6))
```

```text
certified: the gap is within the tolerance [0.7 0.3 0. ] 1.0
```

A constraint is an object or a text: `constraint="l2_ball:radius=2"`, on the command line `--constraint
l2_ball:radius=2`. A half-space holds an array and a group lasso lists of columns; they are objects only. A start
outside of the set is projected onto it first.
"""

TOGETHER = """l1 and l2 stand for strengths > 0; the negative entropy always has its simplex. A pair that does not go
together is refused, with the list of those that do."""

SOLVERS = """What a loss offers decides as well, see [losses](losses.md#the-losses); these lists are for two of them.
[Solvers](solvers.md) says what each one does."""


def constraints_page() -> str:
    """The whole page."""
    heads = {name: _head(name, example) for name, example in _examples().items()}
    rows = []
    for name, example in _examples().items():
        cls, formula = code(python_name(type(example.part))), code(heads[name].formula)
        rows.append((f"[{code(name)}](#{name})", cls, formula, prose(first_use(heads[name]))))
    overview = table(("name", "class", "formula", "use it"), rows)
    sections = [INTRODUCTION, overview, EXAMPLE, "## Which go together", TOGETHER, _pairs()]
    sections += ["## Which solvers", SOLVERS, _solvers()]
    sections += ["## Regularizers", *(_entry(name, REGULARIZERS[name], heads[name]) for name in REGULARIZERS)]
    sections += ["## Constraints", *(_entry(name, CONSTRAINTS_SHOWN[name], heads[name]) for name in CONSTRAINTS)]
    return "\n\n".join(section.strip() for section in sections) + "\n"


def set_pictures() -> dict[str, str]:
    """The pictures of the page by name."""
    return {name: panels_picture(*_title(name), example.panels) for name, example in _examples().items()}


def _examples() -> dict[str, Example]:
    return {**REGULARIZERS, **{name: CONSTRAINTS_SHOWN[name] for name in CONSTRAINTS}}


def _title(name: str) -> tuple[str, str]:
    if name in CONSTRAINTS:
        said = "The set is shaded; each line leads from a point to its projection, the nearest point of the set."
        return f"The constraint {name}", said
    return f"The regularizer {name}", "Curves on which it has one value; the inner ones are lower."


def _head(name: str, example: Example) -> Described:
    own = ("Projection", "Support function") if name in CONSTRAINTS else ("Prox", "Conjugate")
    return described(type(example.part), (*own, USE, REFERENCE))


def _entry(name: str, example: Example, head: Described) -> str:
    signature = inspect.signature(example.maker).parameters.values()
    listed = [(part, prose(text)) for part, text in head.parts.items() if part not in (USE, REFERENCE)]
    listed += [("Parameters", ", ".join(map(_parameter, signature)))]
    listed += [("Reference", prose(head.parts[REFERENCE]))]
    texts = [
        f"### {name}",
        f"{code(call(example.maker))}. {prose(head.sentence)}:",
        f"```text\n{head.formula}\n```",
        prose(f"{head.note} {head.parts[USE]}".strip()),
        image(". ".join(_title(name)), f"pictures/{name}.svg"),
        facts(listed),
    ]
    return "\n\n".join(texts)


def _parameter(parameter: inspect.Parameter) -> str:
    has_default = isinstance(parameter.default, float)
    default = f"{number(parameter.default)} by default, " if has_default else ""
    return f"{code(parameter.name)} ({default}{ALLOWED[parameter.name]})"


def _pairs() -> str:
    """Which penalties each constraint can stand beside, asked of `join`."""
    penalties: dict[str, tuple[float, float, Any]] = {"l1": (1.0, 0.0, None), "l2": (0.0, 1.0, None)}
    penalties |= {name: (0.0, 0.0, REGULARIZERS[name].part) for name in FURTHER}
    rows = []
    for constraint in (None, *CONSTRAINTS):
        part = None if constraint is None else CONSTRAINTS_SHOWN[constraint].part
        cells = [_is_supported(*penalty, part) for penalty in penalties.values()]
        rows.append(("none" if constraint is None else code(constraint), *cells))
    for strength, other in (("l1", "l2"), ("l2", "l1")):
        l1, l2 = (1.0, 0.0) if strength == "l1" else (0.0, 1.0)
        beside = {strength: "", other: _is_supported(1.0, 1.0, None, None)}
        beside |= {name: _is_supported(l1, l2, REGULARIZERS[name].part, _partner(name)) for name in FURTHER}
        rows.append((code(strength), *(beside[name] for name in penalties)))
    return table(("beside", *(code(name) for name in penalties)), rows)


def _is_supported(l1: float, l2: float, regularizer: Any, constraint: Any) -> str:
    try:
        join(l1, l2, regularizer, constraint, COLUMNS)
    except Unsupported:
        return "no"
    return "yes"


def _partner(regularizer: str) -> Any:
    """The constraint without which a regularizer cannot stand."""
    return CONSTRAINTS_SHOWN["simplex"].part if regularizer == "negative_entropy" else None


def _solvers() -> str:
    rows = []
    for name, example in _examples().items():
        constraint = example.part if name in CONSTRAINTS else _partner(name)
        regularizer = example.part if name in FURTHER else None
        shown = f"{code(name)} on a simplex" if regularizer and constraint else code(name)
        rows.append((shown, *(solvers_of(loss, regularizer, constraint) for loss in ASKED.values())))
    return table(("", *ASKED), rows)
