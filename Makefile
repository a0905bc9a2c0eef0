# The two commands to know: `make run` and `make test`. Both set up what is missing first.
.PHONY: help run slurm-demo example-capture test test-again test-changed test-all walks test-slurm-versions test-accessibility lint map texts papers reference docs wheel app deb test-packages bench bench-record bench-compare monkey screenshots lock clean
.DEFAULT_GOAL := help

bin := .venv/bin
setup := resources/setup
offscreen := QT_QPA_PLATFORM=offscreen
measured = $(offscreen) $(bin)/python -m pytest -q -o faulthandler_timeout=0 tests/benchmarks
# Status 2: a worker did not start in time on a busy computer.
check_types = $(bin)/mypy $(1) || { [ $$? -eq 2 ] && $(bin)/mypy --num-workers 0 $(1); }

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-20s %s\n", $$1, $$2 }' Makefile

run: .venv/ready-run ## open the console; with no display, play the default scenario into out/
	@if [ "$$(uname)" = Linux ] && [ -z "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
	  echo "No display found: playing the default scenario off screen, into out/."; \
	  $(offscreen) $(bin)/fsconsole play --out out; \
	else $(bin)/fsconsole; fi

slurm-demo: .venv/ready-run ## open the console on a Slurm cluster brought up for it (needs root and Slurm's packages)
	@$(bin)/python -m tests.slurm.lab.demo

example-capture: .venv/ready-run ## take resources/slurm-capture anew from a Slurm cluster brought up for it, in 14 minutes
	@$(bin)/python -m tests.slurm.lab.example

test: .venv/ready-dev ## run the tests, off screen
	@$(bin)/python -c "from fsconsole.machine.engine import warm; warm()" # once, before several workers need it
	@$(offscreen) $(bin)/python -m pytest -q -n 4 --dist loadgroup --budget 1150

test-again: .venv/ready-dev ## run the tests that failed last
	@$(offscreen) $(bin)/python -m pytest -q --last-failed --last-failed-no-failures none

test-changed: .venv/ready-dev ## run the tests that changes since BASE (where this branch left main) can reach
	@$(offscreen) $(bin)/python tools/changed_tests.py $(if $(BASE),--base $(BASE))

test-all: .venv/ready-dev ## run every test there is, and append a line to tests/whole_runs.csv (an hour or more)
	@$(offscreen) $(bin)/python tools/whole_runs.py run

walks: .venv/ready-dev ## make twelve walks on three screens at real speed, with pictures in build/walks
	@$(bin)/python -m pytest -q --whole -n $(or $(WALKERS),4) --dist loadgroup tests/walks

test-slurm-versions: .venv/ready-dev ## run the tests with a real Slurm on 22.05, 24.11 and 26.05 (needs root and debootstrap)
	@$(offscreen) $(bin)/python -m tests.slurm.lab.releases

test-accessibility: .venv/ready-dev ## use the console through AT-SPI, as a screen reader does (needs Xvfb and pyatspi)
	@tests/accessibility/run

lint: .venv/ready-dev ## check style, types, words, docstrings, golden texts, directions of imports and the code map
	@$(bin)/ruff check
	@$(bin)/ruff format --check
	@$(call check_types,)
	@$(call check_types,--platform darwin --cache-dir .mypy_cache/darwin fsconsole)
	@$(call check_types,--platform win32 --cache-dir .mypy_cache/win32 fsconsole)
	@$(bin)/lint-imports --no-logo --no-cache
	@$(bin)/python tools/check_words.py
	@$(bin)/python tools/check_docstrings.py
	@$(bin)/python -m tools.texts --check
	@$(bin)/python tools/check_sentences.py
	@$(bin)/python tools/code_map.py --check
	@$(bin)/python tools/whole_runs.py check

map: .venv/ready-dev ## write the code map, fsconsole/README.md
	@$(bin)/python tools/code_map.py

texts: .venv/ready-dev ## write the golden files of all texts of the program, tests/texts
	@$(bin)/python -m tools.texts

papers: .venv/ready-dev ## write what of the papers is where, docs/papers.md (runs the experiments)
	@$(offscreen) $(bin)/python tools/papers_page.py

reference: .venv/ready-dev ## write docs/reference from the code (runs the experiments)
	@$(offscreen) $(bin)/python -m tools.reference.write

docs: .venv/ready-dev ## build the documents as a site into build/site, and check every link
	@NO_MKDOCS_2_WARNING=1 $(bin)/python -m mkdocs build --strict --quiet --config-file tools/site/mkdocs.yml
	@echo "Built build/site/index.html"

wheel: .venv/ready-dev ## build the wheel, for pipx, into dist/
	@$(bin)/python -m tools.packages.build wheel

app: .venv/ready-dev ## build one folder with Python and all libraries, which starts offline, into dist/
	@$(bin)/python -m tools.packages.build app

deb: .venv/ready-dev ## build a .deb that needs nothing but the libraries of a desktop, into dist/
	@$(bin)/python -m tools.packages.build app deb

test-packages: .venv/ready-dev ## build the packages and try each on bare Debian 12 and 13 (needs root and debootstrap)
	@$(bin)/python -m tools.packages.build wheel app deb
	@$(bin)/python -m tests.packages.check

bench: .venv/ready-dev ## measure speed and memory against the record of earlier runs
	@$(measured)

bench-record: .venv/ready-dev ## measure, and append to the record, tests/benchmarks/record.csv
	@$(measured) --record tests/benchmarks/record.csv

bench-compare: .venv/ready-dev ## measure the commit BASE against the present code in turns, benchmarks NAME alone
	@$(bin)/python -m tests.benchmarks.compare "$(BASE)" "$(NAME)"

monkey: .venv/ready-dev ## click and type at random for SECONDS (120) from SEED (1) on
	@$(bin)/python -m tests.console.monkey --seed $(or $(SEED),1) --seconds $(or $(SECONDS),120) --log monkey.log

screenshots: .venv/ready-dev ## renew the pictures of README and documents
	@$(offscreen) $(bin)/python -m fsconsole.console.screenshots --out resources/screenshots
	@$(offscreen) $(bin)/python -m fsconsole.console.moving_scenes --out resources/screenshots

lock: .venv/ready-dev ## renew the locked versions
	@$(setup)/lock

clean: ## remove what was made, .venv too
	rm -rf .venv .slurm-releases .bare-systems out monkey.log build dist .hypothesis .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find fsconsole tests -name __pycache__ -prune -exec rm -rf {} +

.venv/ready-run: pyproject.toml $(setup)/bootstrap $(setup)/requirements.lock
	@$(setup)/bootstrap run

.venv/ready-dev: pyproject.toml $(setup)/bootstrap $(setup)/requirements-dev.lock
	@$(setup)/bootstrap dev
