"""Parsing: CPU seconds on decompressed files; svmlight against scikit-learn's, values compared bit for bit."""

import bz2
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np

FILES = ("a9a", "w8a", "ijcnn1", "news20")


def least_cpu_seconds(read, path: Path, repeats: int):
    """The least CPU time, and what was read; one untimed call first (it compiles, or loads the cache)."""
    outcome = read(path)
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        outcome = read(path)
        seconds.append(time.process_time() - start)
    return min(seconds), outcome


def read_ours(path: Path):
    from empirisk.data.svmlight import read_svmlight

    parsed = read_svmlight(path)
    return parsed.matrix, parsed.labels


def read_theirs(path: Path):
    from sklearn.datasets import load_svmlight_file

    return load_svmlight_file(str(path))


def read_stream(format: str):
    """The rows of a stream in a format, counted."""
    from empirisk.data.streams import row_format
    from empirisk.data.streams.rows import stream_rows

    def read(path: Path) -> int:
        with path.open("rb", buffering=0) as stream:
            rows = stream_rows(stream, str(path), row_format(format, {}).reader(), lambda labels: None)
            return sum(part.n_rows for part in rows)

    return read


def stream_speed(format: str, path: Path, repeats: int) -> float:
    """Megabytes a CPU second of rows as `empirisk stream` reads them."""
    seconds, _ = least_cpu_seconds(read_stream(format), path, repeats)
    return path.stat().st_size / 1e6 / seconds


def same_bits(left: np.ndarray, right: np.ndarray) -> bool:
    return left.shape == right.shape and bool(np.array_equal(left.view(np.uint64), right.view(np.uint64)))


def is_identical(ours, theirs) -> bool:
    (X, y), (their_X, their_y) = ours, theirs
    return (
        X.shape == their_X.shape
        and np.array_equal(X.indptr, their_X.indptr)
        and np.array_equal(X.indices, their_X.indices)
        and same_bits(X.data, their_X.data)
        and same_bits(y, their_y)
    )


def measure_file(compressed: Path, repeats: int) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / compressed.stem
        with bz2.open(compressed) as source, plain.open("wb") as target:
            shutil.copyfileobj(source, target)
        megabytes = plain.stat().st_size / 1e6
        our_seconds, ours = least_cpu_seconds(read_ours, plain, repeats)
        their_seconds, theirs = least_cpu_seconds(read_theirs, plain, repeats)
    return {
        "file": compressed.stem,
        "megabytes": megabytes,
        "ours_cpu_seconds": our_seconds,
        "ours_mb_per_second": megabytes / our_seconds,
        "sklearn_cpu_seconds": their_seconds,
        "sklearn_mb_per_second": megabytes / their_seconds,
        "ratio": their_seconds / our_seconds,
        "identical": is_identical(ours, theirs),
    }


def measure(folder: Path, repeats: int = 3) -> list[dict]:
    return [measure_file(folder / "libsvm" / f"{name}.bz2", repeats) for name in FILES]
