"""The same numbers in every format that the command line reads."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma

import numpy as np
import scipy.sparse

RANDOM = np.random.default_rng(6)
X = np.where(RANDOM.uniform(size=(20, 3)) < 0.3, 0.0, RANDOM.standard_normal((20, 3)))
Y = np.where(X @ [1.0, -2.0, 0.5] + 0.5 * RANDOM.standard_normal(20) > 0.0, 1, -1)
WEIGHTS = RANDOM.uniform(0.5, 2.0, 20)
NAMES = np.array(["age", "dose", "size"])
COMPRESS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def as_csv(*, label: str | None = "y", weights: bool = False) -> bytes:
    names = [*NAMES, *([label] if label else []), *(["w"] if weights else [])]
    columns = [*X.T.tolist(), *([Y.tolist()] if label else []), *([WEIGHTS.tolist()] if weights else [])]
    rows = [",".join(map(repr, row)) for row in zip(*columns, strict=True)]
    return "\n".join([",".join(names), *rows, ""]).encode()


def as_svmlight() -> bytes:
    rows = (" ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row) if v) for row in X.tolist())
    return "".join(f"{label} {row}\n" for label, row in zip(Y.tolist(), rows, strict=True)).encode()


def as_npy(array) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def as_npz(write=np.savez, **arrays) -> bytes:
    stream = io.BytesIO()
    write(stream, **arrays)
    return stream.getvalue()


def csr_parts(matrix=X):
    rows = scipy.sparse.csr_array(matrix)
    return {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr, "shape": np.array(rows.shape)}


TABLE = np.column_stack([X, Y])
PLAIN = {
    "d.csv": as_csv(),
    "d.svm": as_svmlight(),
    "d.npy": as_npy(TABLE),
    "d.npz": as_npz(X=X, y=Y),
    "named.npz": as_npz(X=X, y=Y, feature_names=NAMES),
    "fortran.npy": as_npy(np.asfortranarray(TABLE)),
    "swapped.npy": as_npy(TABLE.astype(">f8")),
    "dense.npz": as_npz(np.savez_compressed, X=X, y=Y.reshape(-1, 1).astype(np.float32)),
    "sparse.npz": as_npz(np.savez_compressed, y=Y, format=b"csr", **csr_parts()),
}
LINES = PLAIN["d.csv"].decode().splitlines()
DIALECTS = {
    "d.tsv": PLAIN["d.csv"].replace(b",", b"\t"),
    "semicolons.txt": PLAIN["d.csv"].replace(b",", b"; ").replace(b"\n", b"\r\n"),
    "pipes.data": PLAIN["d.csv"].replace(b",", b"|"),
    "wide.tab": PLAIN["d.csv"].decode().replace(",", "\t").encode("utf-16"),
    "numbered.csv": "\n".join(f"{i - 1 if i else ''},{line}" for i, line in enumerate(LINES)).encode(),
}
FILES = {
    **PLAIN,
    **DIALECTS,
    **{f"{name}{suffix}": c(PLAIN[name]) for name in ("d.csv", "d.svm") for suffix, c in COMPRESS.items()},
    "d.npy.gz": gzip.compress(PLAIN["d.npy"]),
    "d.npz.xz": lzma.compress(PLAIN["d.npz"]),
    "members.csv.gz": gzip.compress(PLAIN["d.csv"][:100]) + gzip.compress(PLAIN["d.csv"][100:]),
}
FIT = ("--task", "classification", "--l2", 0.1, "--quiet")


def refused(done, code: int, said: str) -> None:
    assert done.exit_code == code, done.stderr
    assert done.stdout == ""
    assert done.stderr.splitlines()[-1] == f"Error: {said}"
