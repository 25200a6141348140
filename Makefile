# Two commands on a fresh machine: `make demo` shows what it does, `make test` checks that it works.
# Both set up .venv from the pinned versions in requirements.lock.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
READY := .venv/.ready

.PHONY: demo test browser soak pictures lint format lock clean

demo: $(READY)
	.venv/bin/lmta demo --out demo

test: $(READY) lint browser
	.venv/bin/pytest -n 2 --dist loadfile

# The page is tested in Chromium: Debian's is installed where that is possible; without one its tests are skipped.
browser:
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome || \
	{ [ "$$(id -u)" = 0 ] && apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq -y install chromium; }; } \
	> /dev/null 2>&1 || echo "No Chromium and no way to install it: the tests of the page are skipped."

# What takes too long for every day: a hundred kills of the service, and ten times as much nonsense sent to it.
soak: $(READY)
	LMTA_KILLS=100 LMTA_EXAMPLES=10 .venv/bin/pytest -rP --hypothesis-show-statistics \
	tests/service/test_kills.py tests/service/test_fuzz.py

# The pictures of the guide, taken anew from the page as it is.
pictures: $(READY) browser
	LMTA_SCREENSHOTS=docs/pictures .venv/bin/pytest tests/service/test_browser.py -k "les_miserables or fifty_cities"

lint: $(READY)
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/pyright

format: $(READY)
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -m venv --clear .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement requirements.lock
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

# Resolve the newest versions that pyproject.toml allows and pin them.
lock:
	$(PYTHON) -m venv --clear .venv-lock
	.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check ".[dev]"
	.venv-lock/bin/python -m pip freeze --exclude lmta > requirements.lock
	rm -rf .venv-lock

clean:
	rm -rf .venv .venv-lock demo
