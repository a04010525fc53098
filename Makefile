# Every target works alone on a fresh clone: it builds .venv and installs first.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
DATA ?= data
N ?= 1000
FIRST ?= 0
JOBS ?= 1

.PHONY: demo test check docs bench torture clean

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

$(VENV)/.bench: $(VENV)/.installed
	for peer in liblinear-official cyanure celer skglm snapml statsmodels river vowpalwabbit python-crfsuite; do \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check $$peer; done; true
	# It names no build requirements, and needs a compiler: without one the benchmark says that it is missing.
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check 'cython<3.1' setuptools wheel && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
		sklearn-contrib-lightning
	touch $@

demo: $(VENV)/.installed  ## train on a built-in data set, verify, write a report
	$(BIN)/empirisk demo --output demo

test: $(VENV)/.installed  ## every test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not interpreted"
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n 2 --dist worksteal -m interpreted

check: $(VENV)/.installed  ## what CI checks besides the tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.installed  ## pages and pictures made from the docstrings
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m tools.documentation  # as the test of it runs: the same to the byte

bench: $(VENV)/.bench  ## against the peers; DATA=folder of data sets
	$(BIN)/python -m benchmarks --data $(DATA)
	$(BIN)/python -m benchmarks.separation --data $(DATA)
	$(BIN)/python -m benchmarks.redundant_columns --limit 600
	$(BIN)/python -m benchmarks.perceptron --data $(DATA)
	$(BIN)/python -m benchmarks.zero_one --data $(DATA)
	$(BIN)/python -m benchmarks.integer_planes --data $(DATA)
	$(BIN)/python -m benchmarks.online --data $(DATA)
	$(BIN)/python -m benchmarks.chains --data $(DATA)
	$(BIN)/python -m benchmarks.pac_bayes --data $(DATA)
	$(BIN)/python -m benchmarks.plane_validity
	$(BIN)/python -m benchmarks.own_loss
	$(BIN)/python -m benchmarks.bandwidth
	$(BIN)/python -m benchmarks.overhead --data $(DATA)

torture: $(VENV)/.installed  ## N problems drawn wide, every claim judged in long arithmetic
	$(BIN)/python -m tools.torture --count $(N) --first $(FIRST) --jobs $(JOBS) $(if $(KIND),--kind $(KIND))

clean:
	rm -rf $(VENV) demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
