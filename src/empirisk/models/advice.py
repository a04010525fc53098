"""What may help a fit that ended uncertified: the one source of what terminal, report and warning say."""

from __future__ import annotations

from empirisk.models.options import FitOptions
from empirisk.solution import Status

FIXED = {
    Status.OVERFLOW: "divide the columns (and a numeric y) by their largest sizes",
    Status.UNATTAINED: "set l1 or l2 above 0, or give a constraint",
    Status.PRECISION_REACHED: "lower epsilon, or leave it out and stop on the certificate",
    Status.DIVERGED: "take a smaller alpha, or none for backtracking",
    Status.NOT_A_NUMBER: "correct the loss: er.check_loss finds out where it fails",
    Status.FLAT: "take a loss with a slope",
    Status.CALLBACK: "let the callback return False to go on",
    Status.CALLBACK_RAISED: "mend the callback",
}
FURTHER = {
    Status.PASS_LIMIT: "raise max_passes",
    Status.TIME_LIMIT: "raise time_limit",
    Status.INTERRUPTED: "let it run on",
}


def advice(status: str, options: FitOptions) -> str:
    """What to try after a run that stopped with this status, the likeliest first; parameters are named as in Python.

    Nothing is named that was done already: columns that are standardised, the automatic solver.
    """
    found = Status(status)
    if found in FIXED:
        return FIXED[found]
    said = [FURTHER[found]] if found in FURTHER else []
    if not options.standardize:
        said.append("standardise the columns")
    if not (isinstance(options.solver, str) and options.solver == "auto"):
        said.append("try solver='auto'")
    said.append("raise l2" if options.l2 > 0.0 else "set l2 above 0")
    said.append("raise tol")
    return ", ".join(said[:-1]) + f" or {said[-1]}"
