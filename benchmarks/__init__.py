"""empirisk against its peers: time to a given suboptimality, start-up, parsing and memory.

python -m benchmarks --data FOLDER               two classes: time to suboptimality 1e-3 and 1e-6, against the peers
python -m benchmarks.regression --data FOLDER    the same for Huber, quantile and absolute regression
python -m benchmarks.multiclass --data FOLDER    the same for softmax and one-versus-rest
python -m benchmarks.own_loss                    a user's own loss against the built-in one
python -m benchmarks.startup --data FOLDER       import, command line, first fit, svmlight parsing
python -m benchmarks.memory                      memory of a fit beyond the data
"""
