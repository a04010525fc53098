"""The tables of `reach`: files as users have them, read by the package's own readers, and a few made from them.

FOLDER is a folder with `libsvm/*.bz2` and `tabular/*.csv.gz` or `.xz`. Categories of a table become columns of zeros
and ones; nothing else is done to it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

# The column of the answers, where it is not the last one; all tables but these hold classes.
FIRST_COLUMN = ("higgs_12k", "space_ga")
REGRESSION = ("abalone", "ailerons", "cadata_california", "cpusmall", "space_ga", "uci_bike", "uci_protein")
MANY_CLASSES = ("satimage", "letter.scale", "usps")  # fitted with all their classes besides
ALL_CLASSES = ": all classes"
MOST_ENTRIES = 30_000_000  # of a table that is made dense


@dataclass(frozen=True)
class Rows:
    """What a fit gets, and how it was made."""

    X: Any
    y: np.ndarray
    task: str
    said: str = ""


def names(folder: Path) -> list[str]:
    """Of all tables, those of this file last."""
    files = [*folder.glob("tabular/*.csv.*"), *folder.glob("libsvm/*.bz2")]
    return sorted({name_of(path) for path in files}) + sorted(MADE) + [name + ALL_CLASSES for name in MANY_CLASSES]


def name_of(path: Path) -> str:
    return path.name.removesuffix(path.suffix).removesuffix(".csv")


def file_of(folder: Path, name: str) -> Path:
    return next(path for path in folder.glob("*/*") if name_of(path) == name and path.parent.name != "stream")


def read(folder: Path, name: str, most_rows: int) -> Rows:
    """At most so many rows, evenly spread; of more than two classes the most frequent one against the rest."""
    if name in MADE:
        rows = MADE[name](folder, most_rows)
    else:
        X, y, _ = examples(folder, name.removesuffix(ALL_CLASSES), None)
        rows = Rows(X, y, "regression" if name in REGRESSION else "classification")
    rows = sampled(rows, most_rows)
    values, counts = np.unique(rows.y, return_counts=True)
    if rows.task == "classification" and len(values) > 2 and not name.endswith(ALL_CLASSES):
        top = values[np.argmax(counts)]
        rows = Rows(rows.X, (rows.y == top).astype(int), rows.task, f"{rows.said}class {top} against the rest; ")
    return rows


def examples(folder: Path, name: str, label: str | None) -> tuple[Any, np.ndarray, Any]:
    """Rows, answers and columns, as `empirisk fit` reads them."""
    from empirisk.models.reading import read_training

    path = file_of(folder, name)
    if path.parent.name == "tabular" and label is None:
        heading = read_heading(path)
        label = heading[0 if name in FIRST_COLUMN else -1]
    found = read_training(str(path), None if label is not None else "svmlight", label, None)
    return found.matrix, found.labels, found.columns


def read_heading(path: Path) -> list[str]:
    import gzip
    import lzma

    with (lzma.open if path.suffix == ".xz" else gzip.open)(path, "rt") as file:
        return file.readline().strip().split(",")


def sampled(rows: Rows, most_rows: int) -> Rows:
    n = rows.X.shape[0]
    if n <= most_rows:
        return rows
    kept = np.linspace(0, n - 1, most_rows).astype(np.int64)
    said = f"{rows.said}{most_rows} of {n} rows; "
    return Rows(rows.X[kept], rows.y[kept], rows.task, said)


def adult_hours(folder: Path, most_rows: int) -> Rows:
    """A census: groups of zeros and ones that each sum to one, beside amounts; the answer is a count of hours."""
    X, y, _ = examples(folder, "adult_raw", "hours-per-week")
    return Rows(X, y.astype(np.float64), "regression")


def bank_duration(folder: Path, most_rows: int) -> Rows:
    """Calls of a bank: the answer is a number of seconds, with a long tail."""
    X, y, _ = examples(folder, "bank_additional_full", "duration")
    return Rows(X, y.astype(np.float64), "regression")


def adult_crossed(folder: Path, most_rows: int) -> Rows:
    """2,000 rows of `adult_hours`, and a column for each combination of age and another column: dense and wide."""
    rows = sampled(adult_hours(folder, most_rows), min(2000, most_rows))
    X = scipy.sparse.csr_array(rows.X).toarray()
    ages = X[:, 0]
    others = [j for j in range(1, X.shape[1]) if set(np.unique(X[:, j])) == {0.0, 1.0}]
    crossed = [(ages == age) * X[:, j] for age in np.unique(ages) for j in others]
    counts = np.array([column.sum() for column in crossed])
    kept = np.argsort(-counts, kind="stable")[: 1900 - X.shape[1]]
    wide = np.column_stack([X, *(crossed[j] for j in sorted(kept))])
    return Rows(wide, rows.y, "regression", f"{rows.said}dense, {wide.shape[1]} columns; ")


MADE = {"adult_hours": adult_hours, "bank_duration": bank_duration, "adult_crossed": adult_crossed}


def settings() -> Iterator[tuple[str, dict]]:
    """What is asked for beside the loss."""
    yield "default", {}
    yield "l1 = .001", {"l1": 1e-3}
    yield "l2 = 0", {"l2": 0.0}
    yield "box", {"constraint": "box:low=-1,high=1"}
    yield "l1 ball", {"constraint": "l1_ball:radius=1"}


def losses_of(rows: Rows, name: str) -> list[str]:
    """Those that fit the task and the answers; of many classes at once three."""
    from empirisk.capabilities import is_least_at_zero, offers, tasks_of
    from empirisk.losses import LOSSES

    if name.endswith(ALL_CLASSES):
        return ["logistic", "squared_hinge", "hinge"]
    known = {key: cls() for key, cls in LOSSES.items()}
    fit = {key: loss for key, loss in known.items() if offers(loss, "derivative") and rows.task in tasks_of(loss)}
    accepted = fit if rows.task == "classification" else {k: v for k, v in fit.items() if accepts_all(v, rows.y)}
    return [key for key, loss in accepted.items() if not is_least_at_zero(loss)]


def accepts_all(loss: Any, y: np.ndarray) -> bool:
    from empirisk.capabilities import offers

    return not offers(loss, "accepts") or all(loss.accepts(float(value)) for value in y)
