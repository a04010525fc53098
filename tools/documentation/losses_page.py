"""docs/losses.md: an overview, advice, and an entry for each loss with its picture."""

from __future__ import annotations

import math
from typing import Any

from empirisk.capabilities import has_kinks, name_of, offers, tasks_of
from empirisk.losses import LOSSES, loss_text
from empirisk.vector_losses import Softmax
from tools.documentation.docstrings import REFERENCE, USE, Described, described, first_use
from tools.documentation.eligibility import solvers_of, solvers_of_classes
from tools.documentation.loss_pictures import loss_picture
from tools.documentation.markdown import call, code, facts, image, prose, python_name, table

# Parameters that the picture takes instead of the defaults, because they show more.
SHOWN = {
    "quantile": {"level": 0.8},
    "epsilon_insensitive": {"epsilon": 0.5},
    "squared_epsilon_insensitive": {"epsilon": 0.5},
}

INTRODUCTION = """# Losses

<!-- Generated from the docstrings in src/empirisk/losses by `make docs`: edit those. -->

A loss is a function of a score z and a label y. Losses for classification have y = -1 or +1 and depend on the margin
y z only; losses for regression depend on the residual z - y, except for `poisson`. `softmax` is a function of one score
for each class, and what the logistic loss becomes for many classes. Give a name, a name with parameters, or an object:
`loss="huber"`, `loss="huber:delta=1.5"`, `loss=er.Huber(delta=1.5)`; on the command line `--loss huber:delta=1.5`.
Every loss has the parameter `scale` > 0, which multiplies it. To write one yourself, see [a loss of your
own](own_loss.md); to add one to the package, [adding a loss](contributing/adding_a_loss.md).

Smoothness is a bound on the second derivative, in this table for the default parameters.
"""

EXAMPLE = """```python
import empirisk as er

loss = er.Hinge(scale=2.0)
print(loss.value(0.5, 1.0), loss.derivative(0.5, 1.0), loss.conjugate(-1.0, 1.0))
print(er.ZeroOne().value(0.0, 1.0), er.ZeroOne().value(0.1, 1.0))
```

```text
1.0 -2.0 -1.0
1.0 0.0
```
"""

READING = """In the pictures the left panel shows value and derivative, with a dot at the subderivative taken at a kink.
The right one shows the conjugate loss*(u) = sup_z (u z - loss(z)), with dots at the ends of its domain. The dual
variables of [the certificate](certificates.md) are minus such slopes u. The solvers are those of [solvers](solvers.md)
that can take the loss without a constraint; with one, see [constraints](constraints.md#which-solvers)."""


def losses_page() -> str:
    """The whole page."""
    losses = documented_losses()
    heads = {name: _parts(cls) for name, cls in losses.items()}
    overview = table(
        ("name", "class", "for", "formula", "kinks", "smoothness"),
        (_row(cls, heads[name]) for name, cls in losses.items()),
    )
    advice = "\n".join(f"- [{code(name)}](#{name}): {prose(first_use(heads[name]))}" for name in losses)
    entries = [_entry(cls, heads[name]) for name, cls in losses.items()]
    sections = (INTRODUCTION, overview, "## Which one", advice, EXAMPLE, "## The losses", READING, *entries)
    return "\n\n".join(section.strip() for section in sections) + "\n"


def loss_pictures() -> dict[str, str]:
    """The pictures of the page by name."""
    return {name: loss_picture(_shown(cls)) for name, cls in documented_losses().items()}


def documented_losses() -> dict[str, Any]:
    """The registry, and the loss of many scores."""
    return {**LOSSES, name_of(Softmax): Softmax}


def _parts(cls: Any) -> Described:
    subderivative = ("Subderivative",) if has_kinks(cls()) else ()
    return described(cls, ("Conjugate", *subderivative, "Smoothness", USE, REFERENCE))


def _is_vector(cls: Any) -> bool:
    """Whether it is a loss of a vector of scores."""
    return offers(cls(), "gradient")


def _shown(cls: Any) -> Any:
    return cls(**SHOWN.get(name_of(cls), {}))


def _tasks(cls: Any) -> str:
    return "many classes" if _is_vector(cls) else " and ".join(tasks_of(cls()))


def _row(cls: Any, head: Described) -> tuple[str, ...]:
    name, loss = name_of(cls), cls()
    smooth = f"{loss.smoothness():g}" if offers(loss, "smoothness") else "none"
    kinks = "yes" if has_kinks(loss) else "no"
    return (f"[{code(name)}](#{name})", code(python_name(cls)), _tasks(cls), code(head.formula), kinks, smooth)


def _entry(cls: Any, head: Described) -> str:
    name = name_of(cls)
    shown = _shown(cls)
    changed = "" if shown == cls() else f" The picture shows {code(loss_text(shown))}."
    solvers = solvers_of_classes(cls()) if _is_vector(cls) else solvers_of(cls())
    parts = head.parts
    no_kink = "none to choose, it has no kink." if offers(cls(), "derivative") else ""
    listed = facts(
        (
            ("Conjugate", prose(parts["Conjugate"])),
            ("Subderivative", prose(parts.get("Subderivative", no_kink))),
            ("Smoothness", prose(parts["Smoothness"])),
            ("Parameters", ", ".join(_parameters(cls()))),
            ("Solvers", f"{solvers}."),
            ("Reference", prose(parts[REFERENCE])),
        )
    )
    texts = [
        f"### {name}",
        f"{code(call(cls))}, for {_tasks(cls)}. {prose(head.sentence)}:",
        f"```text\n{head.formula}\n```",
        f"{prose(f'{head.note} {parts[USE]}'.strip())}{changed}",
        image(f"Curves of the loss {name}", f"pictures/{name}.svg"),
        listed,
    ]
    return "\n\n".join(texts)


def _parameters(loss: Any) -> list[str]:
    """Each parameter with its default and the interval it must lie in."""
    ranges = dict.fromkeys(loss._fields, (0.0, math.inf))
    ranges |= loss.parameter_ranges() if offers(loss, "parameter_ranges") else {}
    said = []
    for name, default in loss._field_defaults.items():
        low, high = ranges[name]
        allowed = "positive" if (low, high) == (0.0, math.inf) else f"between {low:g} and {high:g}"
        said.append(f"{code(name)} ({default:g} by default, {allowed})")
    return said
