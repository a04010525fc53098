"""python -m benchmarks.texts --data FOLDER: texts as tf-idf weights of words and pairs, ours against scikit-learn's.

Four fifths of the texts, drawn, are fitted and encoded, the others encoded: the least CPU seconds of five runs, after
one that is not timed. Then a logistic regression on either matrix, and its errors on the texts that were left out.
"""

import gzip
import lzma
import time
from pathlib import Path

import click
import numpy as np

from benchmarks.publish import publish

FILES = ("sms_spam.tsv.gz", "sentence_polarity.tsv.xz", "reuters_r8.tsv.xz")
REPEATS = 5


def read(path: Path) -> tuple[np.ndarray, np.ndarray]:
    opened = (gzip if path.suffix == ".gz" else lzma).open(path, "rt", encoding="utf-8")
    with opened as stream:
        names, *rows = [line.rstrip("\n").split("\t") for line in stream]
    cells = np.array([[row[names.index("text")], row[names.index("label")]] for row in rows], dtype=object)
    return cells[:, 0], cells[:, 1].astype(str)


def ours(train: np.ndarray, test: np.ndarray):
    from empirisk.encodings.cells import Cells
    from empirisk.encodings.choices import ColumnChoices
    from empirisk.encodings.texts import fit_text

    start = time.process_time()
    column = fit_text(Cells("text", train, None, "train"), ColumnChoices())
    fitted = column.encode(Cells("text", train, None, "train"), "error")
    middle = time.process_time()
    new = column.encode(Cells("text", test, None, "test"), "error")
    return fitted, new, middle - start, time.process_time() - middle


def theirs(train: np.ndarray, test: np.ndarray):
    from sklearn.feature_extraction.text import TfidfVectorizer

    start = time.process_time()
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), min_df=2)
    fitted = vectorizer.fit_transform(train)
    middle = time.process_time()
    new = vectorizer.transform(test)
    return fitted, new, middle - start, time.process_time() - middle


def measure(path: Path) -> dict:
    from empirisk import LinearClassifier

    texts, labels = read(path)
    order = np.random.default_rng(0).permutation(len(texts))
    train, test = order[: len(texts) * 4 // 5], order[len(texts) * 4 // 5 :]
    result: dict = {"file": path.name.partition(".")[0], "texts": len(texts)}
    for name, encode in (("ours", ours), ("scikit-learn", theirs)):
        runs = [encode(texts[train], texts[test]) for _ in range(1 + REPEATS)][1:]
        fitted, new = runs[0][:2]
        wrong = LinearClassifier().fit(fitted, labels[train]).predict(new) != labels[test]
        seconds = {"fit": min(run[2] for run in runs), "new": min(run[3] for run in runs)}
        result[name] = {**seconds, "terms": fitted.shape[1], "error": float(wrong.mean())}
    return result


def text_of(result: dict) -> str:
    head = "| texts | rows | terms | fit, ours | scikit-learn | ratio | new ones | error, ours | scikit-learn |"
    lines = [head, "|---|" + "---:|" * 8]
    for one in result["files"]:
        left, right = one["ours"], one["scikit-learn"]
        ratios = (f"{right[key] / left[key]:.1f}" for key in ("fit", "new"))
        seconds = f"{left['fit']:.3f} s | {right['fit']:.3f} s"
        errors = f"{left['error']:.2%} | {right['error']:.2%}"
        lines.append(
            f"| {one['file']} | {one['texts']} | {left['terms']} | {seconds} | {' | '.join(ratios)} | {errors} |"
        )
    return "\n".join(lines)


@click.command()
@click.option("--data", "folder", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--json", "json_path", type=click.Path(path_type=Path))
def main(folder: Path, json_path: Path | None) -> None:
    """Measure fitting and encoding of texts."""
    publish({"files": [measure(folder / "text" / name) for name in FILES]}, text_of, json_path)


if __name__ == "__main__":
    main()
