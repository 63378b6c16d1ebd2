# A fresh clone needs `make reproduce` or `make test`, and nothing before them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)

.PHONY: help reproduce test test-slow test-minimum test-arm mutate lint coverage bench bench-quick bench-core bench-mdp clean

help:
	@echo "make reproduce   the paper's experiments: tables, figures, and a verdict on each of its claims"
	@echo "make test        run the tests"
	@echo "make test-slow   run those that take long, or a browser"
	@echo "make attack      kill, stop and cut off processes that share a bandit; SECONDS=60 SEED=1"
	@echo "make test-minimum  run quick tests with the lowest versions of what lowbid and its extras need"
	@echo "make test-arm    run quick tests on emulated ARM, and compare bits; needs qemu-user-static"
	@echo "make mutate      plant a hundred mistakes, by SEED=1, and see how many the tests notice;"
	@echo "                 WORDS='--sample 0 --resume' for all, going on with a run that was stopped"
	@echo "make lint        check style, types and the direction of imports"
	@echo "make coverage    run the kernels' tests uncompiled and report what they cover"
	@echo "make docs        build the documentation site, out/site/index.html; no network is needed"
	@echo "make dist        build wheel and sdist, and run a sample of the tests on them, by SEED=1"
	@echo "make lock        write the versions that CI installs, requirements-ci.txt, from the newest"
	@echo "make bench       lowbid beside its peers and beside C, and how cost grows; half an hour"
	@echo "make bench-quick C, growth with the arms, and the first second, in three minutes"
	@echo "make bench-mdp   rules for MDPs beside rlberry, bsuite and C; some minutes"
	@echo "make bench-core  the promises of the core: C, arms, workers, first result, memory"

# Installing writes a stamp, so that it is done again only when the project's files change.
# CONSTRAINTS=requirements-ci.txt installs the versions that CI uses.
$(VENV)/installed: pyproject.toml $(CONSTRAINTS)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]' $(CONSTRAINTS:%=--constraint %)
	@touch $@

# The newest versions that fit together, from a new environment, for CI to use until this runs again.
.PHONY: lock
lock:
	rm -rf out/lock
	$(PYTHON) -m venv out/lock
	out/lock/bin/python -m pip install --quiet --editable '.[dev]'
	out/lock/bin/python -m pip freeze --exclude-editable > requirements-ci.txt

reproduce: $(VENV)/installed
	$(BIN)/lowbid reproduce --out out/reproduce

test: $(VENV)/installed
	$(BIN)/python -m pytest -n 2 -m 'not slow'

test-slow: $(VENV)/installed
	$(BIN)/python -m pytest -n 2 -m slow

# Not a part of the gate, which runs a minute of it: tests/test_attack.py.
SECONDS ?= 60
SEED ?= 1
.PHONY: attack
attack: $(VENV)/installed
	LOWBID_COMPILED=never $(BIN)/python tests/attack.py --seconds $(SECONDS) --seed $(SEED)

# In an environment of its own; a minute and a half.
test-minimum: $(VENV)/installed
	.ci/minimum $(BIN)/python

# Skipped with a reason where Debian's packages for ARM cannot be had.
test-arm: $(VENV)/installed
	.ci/arm $(BIN)/python

# Mistakes are planted in a copy of the project; see tests/mutations/run.py.
mutate: $(VENV)/installed
	PYTHONPATH=tests $(BIN)/python -m mutations.run --seed $(SEED) $(WORDS)

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Compiled code is invisible to the coverage tool, so the kernels run as plain Python here. Modules
# without kernels are left out: the other tests cover them.
KERNELS := src/lowbid/policies/*,src/lowbid/environments/*,src/lowbid/_random/*,src/lowbid/simulation/_loop.py
NO_KERNELS := */_arms.py,*/_base.py,*/_citation.py,*/_spread.py,*/_limits.py,*/_registry.py,*/_forgetting.py

coverage: $(VENV)/installed
	$(BIN)/coverage run -m pytest -q --uncompiled tests/uncompiled tests/environments \
		tests/random/test_bulk.py tests/random/test_ziggurat.py
	$(BIN)/coverage report --include='$(KERNELS)' --omit='$(NO_KERNELS)' --fail-under=95

# Fails on a page without a line in mkdocs.yml, and on a link that leads nowhere.
.PHONY: docs
docs: $(VENV)/installed
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# Wheel and sdist, installed in a new environment, where a sample of the quick tests runs.
.PHONY: dist
dist: $(VENV)/installed
	SEED=$(SEED) .ci/distribution $(BIN)/python

# Peers are installed from PyPI under benchmarks/.peers, each in an environment of its own.
bench: $(VENV)/installed
	$(BIN)/python -m benchmarks --pictures docs/images
	$(BIN)/python -m benchmarks.mdp --pictures docs/images

# The part on MDPs alone: beside rlberry, bsuite and C, and how cost grows.
bench-mdp: $(VENV)/installed
	$(BIN)/python -m benchmarks.mdp --pictures docs/images

bench-quick: $(VENV)/installed
	$(BIN)/python -m benchmarks.core --parts c,arms --repeats 5
	$(BIN)/python -m benchmarks.first_second --repeats 3

bench-core: $(VENV)/installed
	$(BIN)/python -m benchmarks.core

clean:
	rm -rf $(VENV) out benchmarks/.peers .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
