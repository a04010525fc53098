"""How the strengths were chosen: the held-out loss against each of them."""

from __future__ import annotations

import numpy as np

from empirisk.report.axes import DRAWABLE
from empirisk.report.charts import strength_chart
from empirisk.report.contents import Contents
from empirisk.report.markup import count, number, safe


def strength_section(contents: Contents) -> str:
    """The curves of a cross-validation; nothing where the strengths were given."""
    found = contents.model.cross_validation
    if found is None:
        return ""
    best, errors = found.best, found.errors
    chosen = " and ".join(f"{name} = {number(float(getattr(found, name)[best]), 6)}" for name in found.tuned)
    said = f"Cross-validation with {count(found.n_folds, 'fold')} chose {chosen}, with the least mean loss on "
    said += f"rows left out of the fit: {number(float(found.losses[best]))}, "
    said += f"standard error {number(float(found.standard_errors[best]), 2)}."
    if errors is not None:
        said += f" It predicts {number(100.0 * float(errors[best]), 3)}\u00a0% of these rows wrongly."
    said += "".join(f" Note: {safe(note)}." for note in (found.fewer_folds, found.extended, found.at_the_end) if note)
    if found.uncertified:
        said += f" Of its fits on parts of the data, {found.uncertified:,} are not certified."
    drawn = "".join(_figure(contents, name) for name in found.tuned)
    title = "<h2>How the strengths were chosen</h2>"
    return f'<section>{title}<p>{said}</p><div class="pair">{drawn}</div></section>'


def _figure(contents: Contents, name: str) -> str:
    """The losses of the pairs that agree with the chosen one in the other strength."""
    found = contents.model.cross_validation
    assert found is not None
    other = found.l2 if name == "l1" else found.l1
    tried, losses, errors = getattr(found, name), found.losses, found.standard_errors
    shown = np.flatnonzero((other == other[found.best]) & (np.abs(losses) < DRAWABLE) & (errors < DRAWABLE))
    points = [(float(tried[k]), float(losses[k]), float(errors[k])) for k in shown]
    title = f"Held-out loss against {name}"
    if len(found.tuned) == 2:
        fixed = "l2" if name == "l1" else "l1"
        title += f", at the chosen {fixed}"
    chosen = int(np.flatnonzero(shown == found.best)[0])
    drawn = strength_chart(points, chosen, title=title, x_label=f"{name} (logarithmic); bars: one standard error")
    return f"<figure><h3>{safe(title)}</h3>{drawn}</figure>"
