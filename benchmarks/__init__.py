"""empirisk against its peers: time to a given suboptimality, start-up, parsing and memory.

python -m benchmarks --data FOLDER               every problem: time to suboptimality 1e-3 and 1e-6, against the peers
python -m benchmarks.versions --data FOLDER --before SRC    this version against another one, ours alone
python -m benchmarks.own_loss                    a user's own loss against the built-in one
python -m benchmarks.bandwidth                   what share of the memory bandwidth each full pass reaches
python -m benchmarks.overhead --data FOLDER      where the milliseconds of a fit of 1000 rows go
python -m benchmarks.startup --data FOLDER       import, command line, first fit, svmlight parsing
python -m benchmarks.memory                      memory of a fit beyond the data
"""
