"""Options of the checks, and the browser."""

import pathlib
import random
import shutil

import pytest


def pytest_addoption(parser):
    parser.addoption("--data", type=pathlib.Path, help="a data directory of chirper's, whose lists are written in every format")
    parser.addoption("--seed", type=int, default=random.SystemRandom().randrange(1_000_000), help="of random searches and edits")
    parser.addoption("--syncs", type=int, default=10, help="of each list under random edits")
    parser.addoption("--count", type=int, default=2000, help="of the random searches")
    parser.addoption("--examples", type=int, default=10, help="of requests to each address of the server")
    parser.addoption("--screens", type=pathlib.Path, help="keep a picture of each state of the page in this folder")
    parser.addoption("--files", action="store_true", help="show the page as it is in the checkout, not as it was built")


@pytest.fixture(scope="module")
def browser(request):
    """Chromium, for one file: while it runs, nothing else can use asyncio."""
    import page
    from playwright.sync_api import sync_playwright

    page.OPTIONS = request.config.option
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--autoplay-policy=no-user-gesture-required", "--no-sandbox"])
        yield browser
        browser.close()
