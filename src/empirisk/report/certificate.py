"""The section about the certificate: the claim, what it means, and what a reader must know of it."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from empirisk.protocols import name_of
from empirisk.report.contents import Contents
from empirisk.report.markup import exact, number, safe, safe_command

OTHER_MEANINGS = {
    "unattained_infimum": (
        "Fitting a model is a search for the weights that make one number, the objective, as small as it can be. Here "
        "there are no such weights: a plane has every row on its right side (or exactly on it), and making the "
        "weights longer along it lowers the objective, for as long as one goes on. The certificate is that plane. The "
        "weights below are those at which the search was stopped; they separate the rows, but their size means nothing."
    ),
    "stationarity": (
        "The loss is not convex, so there may be several minima, and no floor can be proven in this way. What is "
        "proven is that the slope of the objective at these weights is small: they are close to a point where it is "
        "level. Whether that is the lowest one is not known."
    ),
}
CHECKED = {"unattained_infimum": "the margins of the plane", "stationarity": "the objective and its slope"}


def certificate_tiles(contents: Contents) -> list[tuple[str, str, str]]:
    """The numbers of the certificate that matter most: a name, a value and a note each."""
    certificate, asked = contents.model.certificate, f"asked: at most {number(contents.model.options.tol, 3)}"
    objective = number(certificate.objective, 6)
    if _kind(contents) == "unattained_infimum":
        return [
            ("Objective reached", objective, "it falls forever"),
            ("Relative gap", "none", "there is no minimum"),
        ]
    relative = number(certificate.relative_gap, 3)
    if _kind(contents) == "stationarity":
        return [
            ("Objective reached", objective, "other minima may be lower"),
            ("Relative gradient", relative, asked),
        ]
    floor = f"proven floor {number(_floor(contents), 6)}" if math.isfinite(certificate.gap) else "no floor is proven"
    return [("Objective reached", objective, floor), ("Relative gap", relative, asked)]


def _kind(contents: Contents) -> str:
    return name_of(contents.model.certificate)


def _floor(contents: Contents) -> float:
    """What the minimum cannot be below, rounding included."""
    return contents.model.certificate.objective - contents.model.certificate.gap


def certificate_section(contents: Contents) -> str:
    """The claim, whether it is what was asked, what it means and how to check it."""
    model, certificate = contents.model, contents.model.certificate
    parts = [
        "<section><h2>The certificate</h2>",
        f'<p class="claim{"" if model.certified else " no"}">{safe(certificate.sentence(), 400)}</p>',
    ]
    parts += [f"<p>{note}</p>" for note in _notes(contents)]
    parts.append(f'<div class="pair"><div><h3>What it means</h3><p>{_meaning(contents)}</p></div>')
    checked = CHECKED.get(_kind(contents), "the objective and the floor")
    parts.append(
        "<div><h3>What it does not mean</h3><p>It does not say that predictions on new data will be good, that the "
        "loss and the penalties were well chosen, or that the data are right. It says how well the question that was "
        f"asked has been answered.</p><h3>Check it yourself</h3><p>This command computes {checked} again, from the "
        f"data and the model file alone:</p><pre><code>{safe_command(contents.verify_command)}</code></pre></div></div>"
        "</section>"
    )
    return "".join(parts)


def _meaning(contents: Contents) -> str:
    """The duality gap for a reader who has never heard of it."""
    certificate = contents.model.certificate
    if _kind(contents) in OTHER_MEANINGS:
        return OTHER_MEANINGS[_kind(contents)]
    said = (
        "Fitting a model is a search for the weights that make one number, the objective, as small as it can be. How "
        "small that is, nobody knows beforehand. But a second computation on the same data can prove a floor that no "
        "weights whatever get below. "
    )
    if not math.isfinite(certificate.gap):
        return said + "Here it found none, so how far these weights are from the best ones is not known."
    return said + (
        f"Here the floor is {exact(_floor(contents))}, and the weights found reach {exact(certificate.objective)}. The "
        "distance between the two is the duality gap: no other program, however long it runs, can beat this answer by "
        "more than that."
    )


def _notes(contents: Contents) -> Iterable[str]:
    """What a reader must know of this certificate in particular."""
    model, certificate = contents.model, contents.model.certificate
    if _kind(contents) == "unattained_infimum":
        yield "<strong>Give it a minimum:</strong> set l1 or l2 above 0, or a constraint, and fit again."
    elif not math.isfinite(certificate.gap):
        yield "<strong>The gap is infinite:</strong> nothing was proven about these weights."
    elif _kind(contents) == "stationarity" and not model.certified:
        yield (
            f"The gradient is {number(certificate.relative_gap, 3)} of that at zero weights, and "
            f"{number(model.options.tol, 3)} was asked for. More passes or standardised columns can help."
        )
    elif not model.certified and certificate.gap >= abs(certificate.objective):
        yield (
            "The gap is no smaller than the objective itself: so far next to nothing is proven. More passes, "
            "standardised columns or a larger l2 can help."
        )
    elif not model.certified:
        yield (
            f"The relative gap is {number(certificate.relative_gap, 3)} and {number(model.options.tol, 3)} was asked "
            "for: these weights may be close to the best ones, but that is not proven to the tolerance. More passes, "
            "standardised columns, a larger l2 or a larger tolerance can help."
        )
    if contents.solution.certified and not model.certified:
        yield (
            "The solver did reach the tolerance on the standardised columns; rounding, when the weights were carried "
            "over to the columns as they are, took it away again."
        )
    if model.scaling is not None:
        what = "shifted to mean zero and divided by" if np.any(model.scaling.shift) else "divided by"
        yield (
            f"<strong>The columns were standardised</strong> ({what} their standard deviation), and the certificate is "
            "for that standardised problem: the penalties act on the standardised weights. The weights shown below are "
            "for the columns as they are; they predict the same."
        )
    radius, weights_radius = (getattr(certificate, name, math.inf) for name in ("radius", "weights_radius"))
    if math.isfinite(radius):
        from_mean = " (from their mean)" if _kind(contents) == "softmax_gap" else ""
        yield (
            f"The floor is proven for intercepts between {number(-radius)} and {number(radius)}{from_mean}; beyond "
            "that nothing is claimed."
        )
    if math.isfinite(weights_radius):
        yield f"The floor is proven for weights of norm up to {number(weights_radius)}; beyond that nothing is claimed."
