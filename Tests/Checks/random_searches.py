"""Random searches in the language of docs/search.md."""

import decimal
import random
import re
import unicodedata

from language import CODES, JOINT, fold, number_of, words
from language_values import (
    AREAS, BEGINS, COLUMNS, GENERALIZATIONS, IS, ISSUES, MONTHS, NAMED, NAMES, NEARLY, NUMBERS,
    SEARCHED, TAGS, TEXTS)


# What is not a value of these tags, and not a box.
NUMERIC = ["len", "year", "alt", "nr", "uncertain"]
NO_NUMBERS = ["60-30", "x", "1-", "1-2-3", '"<"', '"1,2"']
NO_BOXES = ["1,2,3", "1,2,3,4,5", "60,0,50,10", "a,b,c,d", "-91,0,0,0", "0,0,0,181"]
# How far another value is from one that a recording has.
MOVES = {"len": 40, "alt": 200, "uncertain": 200, "nr": 50000, "year": 6, "lat": 4, "lon": 10}
JOINERS = ("OR", "AND", "NOT")


class Generator:
    def __init__(self, seed, recordings, lists, catalogues):
        self.random = random.Random(seed)
        self.recordings = recordings
        self.lists = sorted(lists)
        self.catalogues = sorted(catalogues)
        self.values = {}
        for column in COLUMNS:
            rows = [one.row[column] for one in recordings]
            self.values[column] = [
                value
                for row in rows
                for value in (row if isinstance(row, list) else [row])
                if value is not None]
            assert self.values[column] or column in GENERALIZATIONS, f"no recording has {column}"

    def expression(self):
        self.target = self.random.choice(self.recordings).row if self.chance(0.7) else {}
        terms = [self.term() for _ in range(self.random.choice([1, 1, 1, 2, 2, 3, 4]))]
        if any("in:" in term for term in terms) and self.chance(0.4):
            gone = ["gone:yes", "gone:no", "-gone:yes", "gone:any", "-gone:any"]
            terms.append(self.random.choice(gone))
            self.random.shuffle(terms)
        if self.chance(0.08):
            terms.insert(self.random.randrange(len(terms) + 1), self.wrong())
        return " ".join(terms)

    def chance(self, share):
        return self.random.random() < share

    def term(self):
        sign = "-" if self.chance(0.2) else ""
        kind = self.random.random()
        if kind < 0.15:
            return sign + self.word()
        if kind < 0.18:
            comma = self.random.choice([", ", ",", " , "])
            count = self.random.randint(2, 3)
            return sign + comma.join(self.alternative() for _ in range(count))
        if kind < 0.21:
            return sign + self.joined()
        if kind < 0.25:
            return sign + self.phrase()
        if kind < 0.31:
            return sign + self.name()
        tag = self.random.choice([*TAGS, "in", "in", "gone"])
        # `gone:yes` changes what `in:` means only if it is the whole term.
        count = 1 if tag in ("box", "near", "gone") else self.random.choice([1, 1, 1, 2, 3])
        values = [self.value(tag) for _ in range(count)]
        return sign + self.cased(tag) + ":" + ",".join(values)

    def alternative(self):
        return self.word() if self.chance(0.67) else f"{self.word()} {self.phrase()}"

    def wrong(self):
        """A term that the page says is refused."""
        pick = self.random.choice
        tag = pick([*TEXTS, "text", "lic"])
        return pick([
            pick(["ctn:poland", "qq:A", "famm:turdidae", "area:europa", "lenght:30", "-typ:song"]),
            pick(["OR", "AND", "NOT", "|"]),
            "-",
            '"?!"',
            f'"{tag}',
            f'{tag}:"',
            f"{pick(TAGS)}:",
            f'{tag}:""',
            f"{tag}:a,",
            f"{tag}:,a",
            f'{tag}:"=",a',
            pick(["q:F", "q:AB", "q:A-C", 'q:"A,B"', "q:1"]),
            "month:" + pick(["13", "0", "mai", "ma", "1-13"]),
            "hour:" + pick(["24", "-1", "07:30", "1-24"]),
            f"{pick(NUMERIC)}:{pick(NO_NUMBERS)}",
            f"box:{pick(NO_BOXES)}",
            "near:" + pick(["1,2", "1,2,3,4", "a,b,c", "91,0,5", "0,181,5", "0,0,-1"]),
            "since:" + pick(["x", "2024-13-01", "2024-02-30", '">3"', "2024-1"]),
            pick(["new:", "changed:"]) + pick(["7", "2y", "d", "yes"]),
            "date:" + pick(["2024-5", "2023-02-29", '"<2024-5"', "2024-2023", "2024-05-01T"]),
            pick(["obscured:", "issue:", "audio:", "gone:"]) + pick(["y", "maybe", "1"]),
            "source:" + pick(["gb", "ebird"]),
            "in:" + pick(["thrsh", '"nothing of the kind"', "the,thrsh"]),
            self.nearly(),
            " ".join(["a"] * 101),
            "a" * 4097,
        ])

    def nearly(self):
        tag = self.random.choice(list(NEARLY))
        return f"{tag}:{self.quoted(self.random.choice(NEARLY[tag]))}"

    def have(self, *columns):
        """What a recording has in one of these columns; often the recording that this search is
        about."""
        column = self.random.choice(columns)
        values = self.target.get(column)
        if values in (None, []) or self.chance(0.15):
            values = self.values[column]
        return self.random.choice(values) if isinstance(values, list) else values

    def part(self, text, start=None):
        start = self.random.randrange(len(text)) if start is None else start
        return text[start: start + self.random.randint(1, 12)]

    def cased(self, text):
        title = text if "'" in text else text.title()
        return self.random.choice([text, text, text, text.upper(), text.lower(), title])

    def changed(self, text):
        """The same with other case and accents."""
        text = self.cased(text)
        if self.chance(0.3):
            text = fold(text)
        if self.chance(0.2):
            text = unicodedata.normalize("NFD", text)
        if self.chance(0.2):
            text = text.replace("o", "ø").replace("a", "å").replace("l", "ł").replace("ss", "ß")
        return text

    def quoted(self, text):
        is_plain = re.fullmatch(r"[\w<>=][\w.'&/()*^<>=-]*", text)
        if is_plain and text not in JOINERS and self.chance(0.7):
            return text
        space = "  " if self.chance(0.1) else ""
        return '"' + space + text.replace("\\", "\\\\").replace('"', '\\"') + space + '"'

    def searched_words(self):
        while True:
            found = re.findall(r"[^\W_]+", self.have(*SEARCHED))
            if found:
                return found

    def word(self):
        if self.chance(0.03):
            return self.quoted(self.changed(self.have("catalogNumber")))
        if self.chance(0.02):
            return str(number_of("nr", self.have("catalogNumber")) or 1)
        word = self.random.choice(self.searched_words())
        word = word[:self.random.randint(1, len(word))] if self.chance(0.5) else word
        if word in JOINERS or word.startswith("_"):
            return "song"
        return self.quoted(self.changed(word))

    def joined(self):
        """Words without what is between two letters of them."""
        text = fold(self.have(*SEARCHED))
        for _ in range(20):
            if JOINT.search(text):
                break
            text = fold(self.have(*SEARCHED))
        tokens = re.findall(r"[^\W_]+", JOINT.sub(lambda _: "" if self.chance(0.8) else "-", text))
        if not tokens:
            return "song"
        start = self.random.randrange(len(tokens))
        text = " ".join(tokens[start: start + self.random.randint(1, 3)])
        if self.chance(0.3):
            text = text[:self.random.randint(1, len(text))].strip()
        return f'"{text}"'

    def phrase(self):
        found = self.searched_words()
        start = self.random.randrange(len(found))
        found = found[start: start + self.random.randint(1, 4)]
        text = self.random.choice([" ", " ", " ", ", ", "'"]).join(found)
        text = text[:self.random.randint(1, len(text))] if self.chance(0.4) else text
        return '"' + self.changed(text) + '"' if words(self.changed(text)) else '"song thrush"'

    def name(self):
        """A whole name of a bird, or of a genus."""
        text = self.have("scientificName", "vernacularName", "acceptedNameUsage", "genus")
        return self.random.choice([
            " ".join(re.findall(r"[^\W_]+", text)), '"' + self.changed(text) + '"',
            self.random.choice(["sp", "en", "gen"]) + ":" + self.quoted(self.changed(text))])

    def value(self, tag):
        if self.chance(0.12):
            return self.random.choice(["none", "any", "NONE", '"any"'])
        if tag in TEXTS:
            return self.column_value(tag)
        if tag in NUMBERS:
            return self.number_value(tag)
        return getattr(self, tag + "_value")()

    def column_value(self, tag):
        matches, *columns = TEXTS[tag]
        if tag == "grp" and self.chance(0.5):
            return self.random.choice("0123456")
        text = self.have(*columns)
        if tag == "type":
            text = self.random.choice([text, text, *NAMED])
        if tag == "cnt" and self.chance(0.3):
            names = [*NAMES, *CODES, *(self.values["countryCode"] * 3)]
            return self.quoted(self.changed(self.random.choice(names)))
        if self.chance(0.15):
            return self.quoted("=" + self.changed(self.random.choice([text, self.part(text, 0)])))
        if matches is IS:
            text = self.random.choice([text, text, text, "no such sound"])
            return self.quoted(self.changed(text))
        if self.chance(0.7):
            text = self.part(text, 0 if matches is BEGINS else None)
        text = self.changed(text)
        return self.quoted(text) if fold(text).strip().strip("=") else "any"

    def number_value(self, tag):
        if tag == "month":
            have = self.random.randint(1, 12)
            names = [MONTHS[have - 1], MONTHS[have - 1][:3], str(have), f"{have:02}"]
            one = self.cased(self.random.choice(names))
            name = self.random.choice(MONTHS)[:self.random.randint(3, 9)]
            other = self.random.choice([str(self.random.randint(1, 12)), name])
        elif tag == "hour":
            have = self.random.randint(0, 23)
            one = self.random.choice([str(have), f"{have:02}"])
            other = str(self.random.randint(0, 23))
        else:
            have = number_of(tag, self.have(NUMBERS[tag]))
            if have is None:
                return "any"
            other = have + self.random.randint(0, MOVES[tag])
            if tag in ("lat", "lon", "len") and self.chance(0.4):
                have += decimal.Decimal("0.5")
                other += decimal.Decimal("1.25")
            one = f"{have:f}" if isinstance(have, decimal.Decimal) else str(have)
            other = str(other)
            if tag not in ("lat", "lon", "alt"):
                one = one.lstrip("-")
                other = other.lstrip("-")
            if tag == "nr" and self.chance(0.3):
                return self.cased(self.have("alsoIn").replace("xeno-canto ", "XC"))
        compared = [sign + str(have) for sign in "<>="]
        return self.quoted(self.random.choice([one, f"{one}-{other}", *compared]))

    def q_value(self):
        sign = self.random.choice(["", "", "<", ">", "="])
        return self.quoted(sign + self.random.choice("ABCDEabc"))

    def box_value(self):
        latitude = self.have("decimalLatitude")
        west = self.have("decimalLongitude")
        if self.chance(0.5):
            latitude = int(latitude)
            west = int(west)
        south = max(-90, latitude - self.random.randint(0, 9))
        north = min(90, latitude + self.random.randint(1, 9))
        east = min(180, west + self.random.randint(1, 30))
        if self.chance(0.4):
            west, east = east, self.random.randint(-180, int(west))
        value = f"{south},{west},{north},{east}"
        return value if self.chance(0.7) else f'"{value}"'

    def near_value(self):
        latitude = round(float(self.have("decimalLatitude")), self.random.randint(0, 4))
        longitude = round(float(self.have("decimalLongitude")), self.random.randint(0, 4))
        value = f"{latitude},{longitude},{self.random.choice([0, 7.5, 100, 1500, 15000])}"
        return value if self.chance(0.7) else f'"{value}"'

    def fam_value(self):
        families = ["turdidae", "muscicapidae", "paridae", "strigidae", "hylidae", "rallidae"]
        own = self.have("family") if self.chance(0.5) else self.random.choice(families)
        return self.quoted(self.random.choice(["", "", "="]) + self.changed(self.part(own, 0)))

    def obscured_value(self):
        return self.cased(self.random.choice(["yes", "no"]))

    audio_value = ann_value = obscured_value

    def issue_value(self):
        return self.cased(self.random.choice(ISSUES))

    def gone_value(self):
        return self.cased(self.random.choice(["yes", "no", "any"]))

    def lic_value(self):
        name = self.have("licenseName")
        code = re.sub(r"^CC | \d\.\d$", "", name)
        version = self.random.choice(["2.5", "3.0", "4.0"])
        other = self.random.choice(["all", "sam", "℗", "℗ 2019"])
        own = [name, code, f"{code} {version}", f"={name}"]
        return self.quoted(self.cased(self.random.choice([*own, "PD", "BY", "BY-NC", "CC", other])))

    def area_value(self):
        return self.cased(self.random.choice([*AREAS]))

    def date_value(self):
        size = self.random.choice([4, 7, 10])
        dates = sorted(self.have("eventDate")[:size] for _ in range(2))
        if self.chance(0.3) and len(dates[0]) == len(dates[1]):
            return "-".join(dates)
        return self.quoted(self.random.choice(["", "", "<", ">", "="]) + dates[0])

    def since_value(self):
        return self.have("available") if self.chance(0.7) else str(self.random.randint(0, 6000))

    def text_value(self):
        part = self.changed(self.part(self.have(*SEARCHED)))
        return self.quoted(part) if fold(part).strip().strip("=") else "any"

    def in_value(self):
        own = self.have("lists", "leftLists")
        text = self.cased(self.random.choice([own, self.random.choice(self.lists)]))
        return self.quoted(text) if re.fullmatch(r"\w+", text) else f'"{text}"'

    def source_value(self):
        return self.cased(self.random.choice(self.catalogues))

    def new_value(self):
        return self.random.choice(["45m", "120m", "12h", "36h", "7d", "20d", "2w", "10w"])

    changed_value = new_value
