"""Fits to report on, and how a page is read back."""

from __future__ import annotations

import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np

from empirisk.certificates import DualityGap
from empirisk.losses import as_loss
from empirisk.models import FitOptions, LinearModel
from empirisk.models.scaling import Scaling
from empirisk.problems.linear_point import LinearPoint
from empirisk.report import write_report
from empirisk.solution import Check, Solution, Status, Trace

VOID = {"meta", "br", "hr", "img", "link", "input"}
CHECKS = (Check(1.0, 0.1, 0.69, math.nan), Check(3.0, 0.2, 0.3, 1e-3), Check(5.0, 0.3, 0.25, 1e-8))


class Tree(HTMLParser):
    """Checks that tags balance, and keeps tags, attributes and text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def parse(html: str) -> Tree:
    tree = Tree()
    tree.feed(html)
    tree.close()
    assert tree.open == []
    return tree


def words(html: str) -> str:
    return " ".join(" ".join(parse(html).texts).split())


def a_fit(
    weights: Any = (0.5, -2.0, 0.0),
    *,
    task: str = "classification",
    certified: bool = True,
    checks: Any = CHECKS,
    gap: float = 1e-8,
    radius: float = math.inf,
    target: float = 2.5e-7,
    scale: Any = None,
    classes: Any = ("no", "yes"),
    **options: Any,
) -> dict[str, Any]:
    w = np.asarray(weights, dtype=np.float64)
    certificate = DualityGap(0.25, 0.25 - gap, gap, 1e-16, radius, 0.25)
    status = Status.CERTIFIED if certified else Status.PASS_LIMIT
    chosen = FitOptions(task=task, l2=1e-4, loss=as_loss("logistic" if task == "classification" else "squared", task))
    model = LinearModel(
        options=chosen._replace(**options),
        weights=w,
        intercept=0.1,
        classes=np.array(classes) if task == "classification" else None,
        certificate=certificate,
        certified=certified,
        status=str(status),
        solver="newton",
        reason="newton: the loss is smooth.",
        passes=5.0,
        data_fingerprint="0123456789abcdef",
        scaling=None if scale is None else Scaling(np.zeros(w.size), np.asarray(scale, dtype=np.float64)),
    )
    trace = Trace(list(checks), target, 1000, math.nan)
    solution = Solution(LinearPoint(w, 0.1), 0.25, certificate, certified, status, trace, "newton", model.reason, 5.0)
    return {
        "model": model,
        "solution": solution,
        "margins": np.linspace(-1.0, 4.0, 50),
        "feature_names": [f"feature {j}" for j in range(w.size)] if w.size < 100 else None,
        "command": "empirisk fit 'my data.csv' -o m.model",
        "verify_command": "empirisk verify m.model 'my data.csv' && echo <ok>",
        "data_name": "my data.csv",
        "n_rows": 50,
        "seconds": 0.3,
    }


def written(tmp_path: Path, **given: Any) -> str:
    path = tmp_path / "report.html"
    write_report(path, **given)
    data = path.read_bytes()
    assert len(data) <= 300_000
    html = data.decode("utf-8")
    parse(html)
    return html


def bars(html: str) -> list[str]:
    """The text of the rows of the table of weights."""
    return re.findall(r'<th scope="row"><bdi>(.*?)</bdi>', html)
