"""Options of the checks, what runs only with --deep, and the browser."""

import pathlib
import random
import shutil

import pytest

# The amounts of an ordinary run. --deep tries ten times as many.
AMOUNTS = {"syncs": 8, "count": 400, "examples": 10}


def pytest_addoption(parser):
    def add(name, **more):
        parser.addoption(f"--{name}", **more)

    add("deep", action="store_true", help="try ten times as much, with every program of others")
    add("data", type=pathlib.Path, help="a data directory, whose lists are written in every format")
    add("seed", type=int, default=random.randrange(1_000_000), help="of random searches and edits")
    add("syncs", type=int, help="of each list under random edits")
    add("count", type=int, help="of the random searches")
    add("examples", type=int, help="of requests to each address of the server")
    add("screens", type=pathlib.Path, help="a folder for a picture of each state of the page")
    add("files", action="store_true", help="show the page as it is in the checkout, not as built")


def pytest_configure(config):
    options = config.option
    for name, amount in AMOUNTS.items():
        if getattr(options, name) is None:
            setattr(options, name, amount * (10 if options.deep else 1))


def pytest_report_header(config):
    amounts = " ".join(f"--{name} {getattr(config.option, name)}" for name in AMOUNTS)
    return f"--seed {config.option.seed} {amounts}"


def pytest_runtest_setup(item):
    """One line at the end counts the checks that were skipped here."""
    if item.get_closest_marker("deep") and not item.config.option.deep:
        pytest.skip("runs with --deep")


@pytest.fixture(scope="module")
def browser(request):
    """Chromium, for one file: while it runs, nothing else can use asyncio."""
    import page
    from playwright.sync_api import sync_playwright

    page.OPTIONS = request.config.option
    arguments = ["--autoplay-policy=no-user-gesture-required", "--no-sandbox"]
    with sync_playwright() as playwright:
        program = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        yield browser
        browser.close()
