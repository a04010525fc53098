"""What a run of the structured perceptron proves: its mistake bound, or that no weights label every sequence right."""

from __future__ import annotations

from empirisk.chains.chain_data import ChainData
from empirisk.chains.perceptron import SequencePerceptronRun
from empirisk.chains.verdicts.conflict import SequenceConflict
from empirisk.chains.verdicts.mistake_bound import SequenceMistakeBound, sequence_mistake_bound
from empirisk.chains.verdicts.realization import Realization, realization_from
from empirisk.chains.verdicts.realize import realize
from empirisk.separation.separate import Undecided
from empirisk.separation.watch import Callback


def proof_of_run(
    data: ChainData,
    run: SequencePerceptronRun,
    *,
    realization: Realization | None = None,
    time_limit: float | None = None,
    callback: Callback | None = None,
) -> SequenceMistakeBound | SequenceConflict | Undecided:
    """The certificate of a run: the bound by a realisation, that of where the run ended or a better one, or a conflict.

    Where the run has not every sequence right, `realize` is asked, within the time limit.
    """
    if realization is None and run.is_realised:
        realization = realization_from(data, run.last)
    if realization is None:
        verdict = realize(data, time_limit=time_limit, callback=callback)
        if not isinstance(verdict, Realization):
            return verdict
        realization = verdict
    bound = sequence_mistake_bound(data, run, realization)
    return Undecided("the numbers of the run cannot be compared", 0.0) if bound is None else bound
