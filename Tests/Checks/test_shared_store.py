"""Several accounts use one store in a directory of their group. To be two accounts needs root."""

import contextlib
import os
import pathlib
import shutil
import stat
import subprocess
import tempfile

import pytest

from program import PROGRAM

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("setpriv"),
    reason="to be two accounts needs root and setpriv")
GROUP, ANN, BOB = 45001, 45002, 45003


class Accounts:
    """Two accounts that have only the group in common, and a copy of the program that both can run.
    """

    def __init__(self, directory):
        self.directory, self.store = directory, directory / "store"
        directory.chmod(0o755)
        self.store.mkdir()
        for account in (ANN, BOB):
            self.home(account).mkdir()
            os.chown(self.home(account), account, -1)
        self.program = shutil.copy(PROGRAM, directory / "chirper")

    def home(self, account):
        return self.directory / str(account)

    def as_account(self, account, *command):
        return [
            "setpriv", f"--reuid={account}", f"--regid={account}", f"--groups={GROUP}", *command]

    def call(self, status, account, mask, *words, **variables):
        """What chirper says to one of the two."""
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.home(account)),
            "CHIRPER_DATA_DIR": str(self.store), "CHIRPER_SOURCE": "sample", **variables}
        done = subprocess.run(
            self.as_account(account, self.program, *words), umask=mask, cwd=self.home(account),
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == status, (
            account, words, done.stdout, subprocess.getoutput(f"ls -lnR {self.store}"))
        return done.stdout

    def share(self):
        os.chown(self.store, -1, GROUP)
        self.store.chmod(0o2775)


@contextlib.contextmanager
def two_accounts():
    # Not in pytest's folder, which only its owner can enter.
    with tempfile.TemporaryDirectory() as directory:
        yield Accounts(pathlib.Path(directory))


@pytest.fixture
def accounts():
    with two_accounts() as accounts:
        yield accounts


@pytest.fixture(scope="module")
def filled():
    with two_accounts() as accounts:
        accounts.share()
        # Neither account's umask matters.
        accounts.call(0, ANN, 0o077, "fetch", "parrot", "--pages", "2", "--audio", "--quiet")
        accounts.call(0, BOB, 0o022, "fetch", "parrot", "--pages", "3", "--audio", "--quiet")
        yield accounts.store


@pytest.fixture
def shared(accounts, filled):
    """A store in a directory of the group, with a list that both fetched."""
    subprocess.run(["cp", "-a", f"{filled}/.", accounts.store], check=True)
    accounts.share()
    return accounts


def test_what_two_accounts_write_belongs_to_the_group(shared):
    shared.call(0, BOB, 0o077, "fetch", "thrush", "--quiet")
    shared.call(0, ANN, 0o002, "sync", "--quiet")
    shared.call(0, ANN, 0o022, "forget", "thrush", "--yes")
    for path in shared.store.rglob("*"):
        found = path.lstat()
        assert (found.st_gid, oct(stat.S_IMODE(found.st_mode))) == (
            GROUP, oct(0o2775 if path.is_dir() else 0o664)), path
    said = shared.call(0, BOB, 0o022, "doctor")
    assert "shared by the group" in said and "(mode 2775)" in said and "150 files" in said
    shared.call(0, BOB, 0o022, "backup", str(shared.home(BOB) / "copy.sqlite"))
    assert shared.call(0, ANN, 0o022, "export", "parrot").count("\nsample:") == 150


def test_a_lock_of_a_colleague_is_waited_for_and_its_holder_is_named(shared):
    locks = sorted((shared.store / "locks").iterdir())
    holders = [
        subprocess.Popen(
            shared.as_account(ANN, "flock", file, "sh", "-c", "echo; sleep 3"),
            stdout=subprocess.PIPE)
        for file in locks]
    for holder in holders:
        holder.stdout.readline()
    assert f" of account {ANN} (flock)" in shared.call(
        0, BOB, 0o022, "fetch", "parrot", CHIRPER_LOG="debug")
    for holder in holders:
        holder.communicate()
    for file in locks:
        os.chown(file, ANN, -1)
        file.chmod(0o600)
    said = shared.call(78, BOB, 0o022, "fetch", "parrot")
    assert str(ANN) in said and "chmod -R g+rwX" in said and "read-only" not in said


def test_a_database_that_a_colleague_did_not_share_names_them_and_can_be_read(shared):
    database = shared.store / "chirper.sqlite"
    database.chmod(0o644)
    owner = database.stat().st_uid
    other = ANN if owner == BOB else BOB
    said = shared.call(74, other, 0o022, "fetch", "parrot", "--all")
    assert f"belongs to account {owner}" in said
    assert f"account {owner} types: chmod -R g+rwX {shared.store};" in said
    shared.call(0, other, 0o022, "list", "parrot", "--limit", "1")
    database.chmod(0o600)
    assert f"belongs to account {owner}" in shared.call(78, other, 0o022, "list", "parrot")
    database.chmod(0o664)
    shared.store.chmod(0o700)
    said = shared.call(78, BOB, 0o022, "list", "parrot")
    assert "belongs to " in said, "an unreadable store is taken for none"
    assert f", who has to type: chmod -R g+rwX {shared.store})." in said


def test_a_store_that_an_account_can_only_read_is_said_to_be_so(shared):
    shutil.rmtree(shared.store / "locks")
    (shared.store / "chirper.sqlite").chmod(0o444)
    os.chown(shared.store / "chirper.sqlite", ANN, -1)
    shared.store.chmod(0o2555)
    said = shared.call(74, BOB, 0o022, "fetch", "parrot", "--all")
    assert f"belongs to account {ANN}" in said and "locks" not in said, said


def test_a_folder_that_cannot_be_read_is_said_and_not_counted_as_empty(shared):
    os.chown(shared.store / "audio/sample", ANN, -1)
    (shared.store / "audio/sample").chmod(0o700)
    assert "1 folder cannot be read" in shared.call(0, BOB, 0o022, "doctor")


def test_a_key_of_the_group_is_read_and_one_that_all_can_read_is_refused(shared):
    key = shared.directory / "key"
    key.write_text("abc123\n")
    os.chown(key, -1, GROUP)
    key.chmod(0o640)
    assert str(key) in shared.call(
        0, BOB, 0o022, "auth", "status", XENO_CANTO_API_KEY_FILE=str(key))
    key.chmod(0o644)
    assert "chmod 640" in shared.call(
        78, BOB, 0o022, "auth", "status", XENO_CANTO_API_KEY_FILE=str(key))


def test_a_directory_of_one_account_stays_its_own(accounts):
    os.chown(accounts.store, ANN, -1)
    accounts.store.chmod(0o700)
    accounts.call(0, ANN, 0o022, "fetch", "parrot", "--audio", "--quiet")
    inside = [
        path
        for path in accounts.store.rglob("*")
        if path.relative_to(accounts.store).parts[0] in ("audio", "locks")]
    assert inside and not [path for path in inside if path.lstat().st_mode & 0o077]
