"""python -m benchmarks.versions: this version against another one, problem by problem, in one run.

    git worktree add ../before COMMIT
    python -m benchmarks.versions --data folder --before ../before/src

Two processes stay warm and take turns on each problem of the race: building it and minimising it to a proven 1e-6 on
one thread. The time is that of the processor, the least of several turns: other work on the machine disturbs it little.
Weights are compared by their digests: "same" means the same bytes.
"""

import hashlib
import json
import math
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import click

PRECISION = 1e-6
LEAST_TURNS, MOST_TURNS = 3, 15
SECONDS = 2.5  # of turns on a problem, beyond the least number
ROOT = Path(__file__).resolve().parent.parent


def serve(source: str, folder: Path, cache: Path) -> None:
    """Answer each number of a problem on standard input with what the version in `source` makes of it."""
    sys.path.insert(0, source)
    import numpy as np

    import empirisk
    from benchmarks import data_sets
    from benchmarks.peers.ours import problem_of
    from benchmarks.problems import PROBLEMS

    if not Path(empirisk.__file__).is_relative_to(Path(source).resolve()):
        raise click.ClickException(f"{source} has no empirisk to import")
    known: dict[tuple[str, str], data_sets.DataSet] = {}
    for line in sys.stdin:
        problem = PROBLEMS[int(line)]
        key = problem.task, problem.data
        if key not in known:
            known = {key: data_sets.load(problem.data, data_sets.cached_file(*key, folder, cache))}
        data, objective = known[key], problem.objective(known[key])
        X = data.rows(data.representations(("csr", "dense"))[0])
        began = time.process_time()
        solution = empirisk.minimize(problem_of(X, data.y, objective), tol=PRECISION, n_threads=1)
        seconds = time.process_time() - began
        digest = hashlib.sha256(np.ascontiguousarray(solution.weights).tobytes()).hexdigest()
        print(json.dumps([seconds, digest, solution.certified]), flush=True)


class Version:
    """A process that serves."""

    def __init__(self, source: str, folder: Path, cache: Path) -> None:
        command = [sys.executable, "-m", "benchmarks.versions", "--serve", source]
        command += ["--data", str(folder), "--cache", str(cache)]
        self.process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> "Version":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait()

    def solve(self, number: int) -> list:
        self.process.stdin.write(f"{number}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise click.ClickException("a version stopped: see what it printed above")
        return json.loads(answer)


def compare(number: int, before: Version, now: Version) -> tuple[list[float], bool]:
    """The least seconds of both, and whether they have the same weights; the first turn is for compiling."""
    first = [version.solve(number) for version in (before, now)]
    least, began, turns = [math.inf, math.inf], time.perf_counter(), 0
    while turns < LEAST_TURNS or (turns < MOST_TURNS and time.perf_counter() - began < SECONDS):
        for k in (0, 1) if turns % 2 else (1, 0):
            least[k] = min(least[k], (before, now)[k].solve(number)[0])
        turns += 1
    return least, first[0][1] == first[1][1]


@click.command()
@click.option("--data", "folder", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--before", type=click.Path(exists=True, file_okay=False), help="The src folder of the other version.")
@click.option("--skip", default="covtype,mnist,news20", show_default=True, help="Data sets to leave out.")
@click.option("--cache", default=None, type=click.Path(path_type=Path), help="Decoded data.")
@click.option("--serve", "source", hidden=True)
def main(folder: Path, before: str | None, skip: str, cache: Path | None, source: str | None) -> None:
    """Race this version against another one."""
    from benchmarks.data_sets import default_cache
    from benchmarks.problems import PROBLEMS

    folder, cache = folder.resolve(), (cache or default_cache()).resolve()
    if source is not None:
        return serve(source, folder, cache)
    if before is None:
        raise click.UsageError("--before names the src folder of the version to compare with")
    ratios = []
    click.echo("| problem | before, ms | now, ms | ratio | weights |\n|---|---:|---:|---:|---|")
    with ExitStack() as stack:
        sources = str(Path(before).resolve()), str(ROOT / "src")
        pair = [stack.enter_context(Version(source, folder, cache)) for source in sources]
        for number, problem in enumerate(PROBLEMS):
            if problem.data in skip.split(","):
                continue
            (old, new), same = compare(number, *pair)
            ratios.append(old / new)
            weights = "same" if same else "other"
            click.echo(f"| {problem.key} | {1e3 * old:.2f} | {1e3 * new:.2f} | {old / new:.2f} | {weights} |")
    mean = math.exp(math.fsum(map(math.log, ratios)) / len(ratios))
    click.echo(f"\nGeometric mean {mean:.3f}, least {min(ratios):.2f}, {len(ratios)} problems.")
    return None


if __name__ == "__main__":
    main()
