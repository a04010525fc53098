"""empirisk against its peers: time to a given suboptimality, start-up, parsing and memory.

python -m benchmarks --data FOLDER            time to suboptimality 1e-3 and 1e-6, against the peers
python -m benchmarks.startup --data FOLDER    import, command line, first fit, svmlight parsing
python -m benchmarks.memory                   memory of a fit beyond the data
"""
