"""python -m benchmarks: time to relative suboptimality 1e-3 and 1e-6, ours against the peers, on every problem."""

from pathlib import Path

import click

from benchmarks import data_sets, suite, table
from benchmarks.problems import PROBLEMS, Problem
from benchmarks.track import Limits

QUICK = {"tasks": "binary", "data": "a9a,rcv1_vw_small"}


def words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def chosen(**wanted: str) -> list[Problem]:
    """The problems whose task, data, loss and penalty are among those asked for; nothing asked, all."""
    found = list(PROBLEMS)
    for attribute, text in wanted.items():
        known = {getattr(problem, attribute).partition(":")[0] or "none" for problem in PROBLEMS}
        unknown = [name for name in words(text) if name not in known]
        if unknown:
            raise click.BadParameter(f"{', '.join(unknown)} is unknown; known: {', '.join(sorted(known))}")
        if text:
            found = [one for one in found if (getattr(one, attribute).partition(":")[0] or "none") in words(text)]
    if not found:
        raise click.BadParameter("no problem has all of what was asked for")
    return found


@click.command()
@click.option("--data", "folder", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--output", default="benchmark_results", show_default=True, type=click.Path(path_type=Path))
@click.option("--tasks", default="", help="Only these of binary, standardised, regression, multiclass.")
@click.option("--problems", default="", help="Only these data sets: a9a,news20.")
@click.option("--losses", default="", help="Only these losses: logistic,squared.")
@click.option("--penalties", default="", help="Only these of l1, l2, none.")
@click.option("--solvers", default="", help="Only peers' solvers whose label holds one of these: -s 2,lbfgs.")
@click.option("--repeats", default=3, show_default=True, type=click.IntRange(min=1), help="Runs of who may win.")
@click.option("--budget", default=20.0, show_default=True, help="Seconds for the peers on one problem, at least.")
@click.option("--cache", default=data_sets.default_cache, type=click.Path(path_type=Path), help="Decoded data.")
@click.option("--only-ours", type=click.Path(exists=True, path_type=Path), help="A results.json with peers' times.")
@click.option("--resume", is_flag=True, help="Keep the problems that the output has already.")
@click.option("--quick", is_flag=True, help="a9a and rcv1_vw_small.")
def main(folder, output, tasks, problems, losses, penalties, solvers, repeats, budget, cache, only_ours, resume, quick):
    """Measure ours and the peers' time to relative suboptimality 1e-3 and 1e-6."""
    if quick:
        tasks, problems = QUICK["tasks"], QUICK["data"]
    selected = chosen(task=tasks, data=problems, loss=losses, penalty=penalties)
    options = suite.Options(folder, cache, output, Limits(budget, repeats), words(solvers), only_ours, resume)
    click.echo(table.summary(suite.run(selected, options)))


if __name__ == "__main__":
    main()
