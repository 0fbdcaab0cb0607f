"""Anki's own importer takes a deck."""

import pathlib
import time

import pytest

from page import HOSTILE, recording, wave
from program import store
from services import Catalogue

LIST = "gen:turdus"
LICENCE = "//creativecommons.org/licenses/by-nc-nd/4.0/"
# What Anki reads in fields as commands.
COMMANDS = ["[sound:evil.mp3]", "[latex]\\input{/etc/passwd}[/latex]", "[$]x[/$]", "{{Sound}}"]
TEXTS = [*HOSTILE, *COMMANDS, "Common Blackbird", "Song Thrush"]


def row(number, text):
    return recording(number, en=text, rec=text, loc=text, type=text, lic=LICENCE)


@pytest.fixture
def chirper():
    """A list of recordings with hostile texts, of which a sound each is kept."""
    service = Catalogue({LIST: [row(number, text) for number, text in enumerate(TEXTS, 1)]})
    try:
        with store(service.address) as chirper:
            chirper.service = service
            fetch(chirper)
            yield chirper
    finally:
        service.close()


def fetch(chirper):
    chirper.run("fetch", LIST, "--source", "xeno-canto", "--all")
    kept = chirper.data / "audio" / "xeno-canto"
    kept.mkdir(parents=True, exist_ok=True)
    for one in chirper.service.rows[LIST]:
        (kept / f"{one['id']}.wav").write_bytes(wave([int(one["id"]) / 100] * 800, 8000))


def package(chirper, *options):
    path = chirper.home / "trip.apkg"
    chirper.run("export", LIST, "-o", path, *options)
    return path


class Learner:
    """Somebody's collection."""

    def __init__(self, folder):
        # It is large, and runs with --deep alone.
        self.anki = pytest.importorskip("anki.collection")
        self.collection = self.anki.Collection(str(folder / "collection.anki2"))

    def take(self, path):
        """Imports a package; returns how many notes were new, updated and left as they are."""
        request = self.anki.ImportAnkiPackageRequest(
            package_path=str(path), options=self.anki.ImportAnkiPackageOptions())
        log = self.collection.import_anki_package(request).log
        assert not list(self.collection.media.check().missing)
        assert not log.conflicting and not log.missing_notetype and not log.missing_deck
        return len(log.new), len(log.updated), len(log.duplicate)

    @property
    def cards(self):
        found = self.collection.find_cards("", order="c.id")
        return [self.collection.get_card(number) for number in found]


@pytest.fixture
def learner(tmp_path):
    learner = Learner(tmp_path)
    yield learner
    learner.collection.close()


@pytest.mark.deep
def test_a_deck_has_a_note_for_each_row_and_is_imported_once(chirper, learner):
    path = package(chirper)
    assert learner.take(path) == (len(TEXTS), 0, 0)
    assert learner.take(path) == (0, 0, len(TEXTS))
    media = pathlib.Path(learner.collection.media.dir())
    sounds = sorted(file.read_bytes() for file in media.glob("*.wav"))
    kept = (chirper.data / "audio" / "xeno-canto").glob("*.wav")
    assert sounds == sorted(file.read_bytes() for file in kept)
    for card, text in zip(learner.cards, TEXTS, strict=True):
        [sound] = card.question_av_tags()
        assert (media / sound.filename).is_file() and not card.answer_av_tags(), text
        answer = card.answer()
        assert not any(tag in answer for tag in ("<script", "<svg", "<img", "[sound", "[latex"))
        assert "CC BY-NC-ND 4.0" in answer and "Turdus merula" in answer
    assert "Song Thrush" in learner.cards[-1].answer()


@pytest.mark.deep
def test_a_newer_deck_updates_what_changed_and_keeps_what_was_learned(chirper, learner):
    assert learner.take(package(chirper)) == (len(TEXTS), 0, 0)
    collection = learner.collection
    collection.decks.set_current(collection.decks.id(f"chirper::{LIST}", create=False))
    card = collection.sched.getCard()
    card.start_timer()
    collection.sched.answerCard(card, 3)
    # One has a different name, and one is new.
    chirper.service.rows[LIST][0]["en"] = "Fieldfare"
    chirper.service.rows[LIST].append(row(len(TEXTS) + 1, "Redwing"))
    fetch(chirper)
    assert learner.take(package(chirper)) == (1, 1, len(TEXTS) - 1)
    assert sum("Fieldfare" in card.answer() for card in learner.cards) == 1
    assert sum(card.reps for card in learner.cards) == 1
    # A list of names changes all names that are shown. Anki's times are in seconds.
    time.sleep(1)
    labels = chirper.home / "labels_de.txt"
    labels.write_text("Turdus merula_Amsel\n")
    chirper.run("names", "add", labels)
    assert learner.take(package(chirper, "--names", "de")) == (0, len(TEXTS) + 1, 0)
    assert all("Amsel" in card.answer() for card in learner.cards)
    assert sum(card.reps for card in learner.cards) == 1


@pytest.mark.deep
def test_a_part_of_the_deck_doubles_nothing(chirper, learner):
    assert learner.take(package(chirper, "--per-species", "3")) == (3, 0, 0)
    assert learner.take(package(chirper, "--where", "audio:yes")) == (len(TEXTS) - 3, 0, 3)
    media = pathlib.Path(learner.collection.media.dir())
    assert len(list(media.glob("*.wav"))) == len(TEXTS) == len(learner.cards)
