"""`python -m tools.torture --count 1000 --first 0`: judge so many problems, and print what is false."""

from __future__ import annotations

import argparse
import sys
import time

from tools.torture.draw import described
from tools.torture.judge import judge


def main() -> int:
    """Exit code 1 where a claim was false."""
    parser = argparse.ArgumentParser(prog="torture", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="problems to judge")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first")
    parser.add_argument("--every", type=int, default=1000, help="problems between two lines of progress")
    asked = parser.parse_args()
    false, judged, began = 0, 0, time.perf_counter()
    for seed in range(asked.first, asked.first + asked.count):
        case, faults = judge(seed)
        judged += case is not None
        if case is not None and faults:
            false += 1
            print(f"seed {seed}: {described(case)}", *faults, sep="\n    ", flush=True)
        if (seed + 1 - asked.first) % asked.every == 0:
            print(f"{judged} judged, {false} with a false claim, {time.perf_counter() - began:.0f} s", flush=True)
    print(f"{judged} problems judged, {false} with a false claim or an error")
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
