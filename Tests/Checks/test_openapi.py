"""Sends what docs/openapi.json allows, and what it does not, to a running `chirper serve`; no
answer may be a fault of the server."""

import subprocess
import sys

import pytest

from program import store

@pytest.mark.deep
def test_no_request_makes_the_server_fail(request):
    pytest.importorskip("schemathesis")
    with store() as chirper:
        chirper.run(
            "fetch", "parrot", "--source", "sample", "--audio", "--pages", "1", "--per-page", "10",
            "--quiet")
        chirper.serve()
        # The stream of events has no end.
        done = subprocess.run(
            [
                sys.executable, "-m", "schemathesis.cli", "run", chirper.address + "openapi.json",
                "--url", chirper.address.rstrip("/"), "--header", f"X-API-Key: {chirper.token}",
                "--checks", "not_a_server_error", "--exclude-path", "/events", "--max-examples",
                str(request.config.option.examples), "--request-timeout", "20"],
            cwd=chirper.home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout
