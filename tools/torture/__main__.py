"""`python -m tools.torture --count 1000 --first 0`: judge so many problems, and print what is false."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from tools.torture.judged import CERTIFIED, NOT_DRAWN, OPEN, REFUSED, Judged
from tools.torture.kinds import KINDS, judge_range

AT_ONCE = 50  # seeds that a process takes at a time


def main() -> int:
    """Exit code 1 where a claim was false."""
    parser = argparse.ArgumentParser(prog="torture", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="problems to judge")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first")
    parser.add_argument("--kind", choices=sorted(KINDS), default="", help="problems of this kind only")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--every", type=int, default=1000, help="problems between two lines of progress")
    asked = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    done, false, began = 0, 0, time.perf_counter()
    for seed, kind, said in _results(asked.first, asked.count, asked.kind, asked.jobs):
        done += 1
        counts[kind, said.outcome] += 1
        if said.faults:
            false += 1
            print(f"seed {seed}, {kind}: {said.said}", *said.faults, sep="\n    ", flush=True)
        if done % asked.every == 0:
            print(f"{done} seeds, {false} with a false claim, {time.perf_counter() - began:.0f} s", flush=True)
    for kind in KINDS:
        if any(counts[kind, outcome] for outcome in (CERTIFIED, OPEN, REFUSED)):
            said = ", ".join(f"{counts[kind, outcome]} {outcome}" for outcome in (CERTIFIED, OPEN, REFUSED))
            print(f"{kind}: {said}")
    drawn = done - sum(counts[kind, NOT_DRAWN] for kind in KINDS)
    print(f"{drawn} problems judged, {false} with a false claim or an error")
    return 1 if false else 0


def _results(first: int, count: int, kind: str, jobs: int) -> Iterator[tuple[int, str, Judged]]:
    """In the order of the seeds, whatever the number of processes."""
    starts = range(first, first + count, AT_ONCE)
    ends = [min(start + AT_ONCE, first + count) for start in starts]
    if jobs == 1:
        for start, end in zip(starts, ends, strict=True):
            yield from judge_range(start, end, kind)
        return
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        for found in pool.map(judge_range, starts, ends, [kind] * len(ends)):
            yield from found


if __name__ == "__main__":
    sys.exit(main())
