"""The language of docs/search.md, read and evaluated again, written from that page alone."""

import collections
import datetime
import decimal
import math
import re
import unicodedata

from language_values import (
    AGES, AREAS, BEGINS, GENERALIZATIONS, GROUPS, HAS, IS, ISSUES, MONTHS, NAMED, NAMES, NEARLY,
    NUMBERS, RANKED, TAGS, TEXTS)

LETTERS = str.maketrans({
    "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i"})


def fold(text):
    """Text as it is compared: without case and accents."""
    parts = unicodedata.normalize("NFD", text.lower())
    return "".join(part for part in parts if unicodedata.category(part) != "Mn").translate(LETTERS)


def words(text):
    return re.findall(r"[^\W_]+", fold(text))


def on_sphere(latitude, longitude):
    """A place on a sphere whose radius is 1."""
    latitude, longitude = math.radians(latitude), math.radians(longitude)
    return (
        math.cos(latitude) * math.cos(longitude), math.cos(latitude) * math.sin(longitude),
        math.sin(latitude))


# Words may leave out what is between two letters.
JOINT = re.compile("(?<=[^\\W0-9_])['‘’‐‑-](?=[^\\W0-9_])")


def joined_words(text):
    """The words of a folded text, each with whether it is joined to the next."""
    return [(one[0], bool(JOINT.match(text, one.end()))) for one in re.finditer(r"[^\W_]+", text)]


def follow(tokens, start, wanted):
    """Whether the words are there; up to four words of the text can be one, and the last may be
    unfinished."""
    together = ""
    for end in range(start, min(start + 4, len(tokens))):
        if end > start and not tokens[end - 1][1]:
            return False
        together += tokens[end][0]
        if len(wanted) == 1:
            if together.startswith(wanted[0]):
                return True
        elif together == wanted[0]:
            return follow(tokens, end + 1, wanted[1:])
    return False


# The language: a text as terms.

class Refused(Exception):
    """The page says that this search is an error, with this exit code."""

    def __init__(self, reason, code=64):
        super().__init__(reason)
        self.code = code


def parse(text):
    """The terms as (negated, tag or None, values). Without a tag a value is a list of texts, all of
    which are searched for."""
    if len(text) > 4096:
        raise Refused("more than 4,096 characters")
    terms, rest = [], text.lstrip()
    while rest:
        negated = rest.startswith("-")
        rest = rest[negated:]
        if not rest or rest[0].isspace():
            raise Refused("nothing follows the -")
        tag = re.match(r"([A-Za-z][A-Za-z_-]*):", rest)
        if tag:
            rest = rest[tag.end():]
            # The commas of a place are its own.
            values, rest = read_values(rest, separated=tag[1].lower() not in ("box", "near"))
            terms.append((negated, tag[1].lower(), values))
        else:
            alternatives, rest = read_words(rest, negated)
            terms.append((negated, None, alternatives))
        if rest and not rest[0].isspace():
            raise Refused("a quotation mark in the middle of a value")
        rest = rest.lstrip()
    if not terms:
        raise Refused("empty")
    if len(terms) > 100:
        raise Refused("more than 100 terms")
    return terms


def read_words(rest, negated):
    """One text, or what commas separate among those that follow each other."""
    first, rest = read_word(rest)
    alternatives, ahead, end = [[first]], rest, None
    while True:
        between = re.match(r"[\s,]*", ahead)[0]
        ahead = ahead[len(between):]
        if "," in between:
            alternatives.append([])
        is_alone = negated and len(alternatives) == 1
        if not ahead or is_alone or re.match(r"-|[A-Za-z][A-Za-z_-]*:", ahead):
            break
        try:
            word, ahead = read_word(ahead)
        except Refused:
            break
        alternatives[-1].append(word)
        if len(alternatives) > 1:
            end = ahead
    alternatives = [texts for texts in alternatives if texts]
    if len(alternatives) == 1:
        return [[first]], " " + rest.lstrip(", ") if "," in rest[:1] else rest
    return alternatives, " " + end.lstrip(", ")


def read_word(rest):
    is_quoted = rest.startswith('"')
    # A comma between two digits is part of a number.
    value, rest = read_value(rest, r"(?:[^\s,]|(?<=[0-9]),(?=[0-9]))+")
    if rest and not (rest[0].isspace() or rest[0] == ","):
        raise Refused("a quotation mark in the middle of a value")
    if not is_quoted and value in ("OR", "AND", "NOT", "|"):
        raise Refused(f"{value} does not join terms")
    if not words(value):
        raise Refused("no letter or digit")
    return value, rest


def read_values(rest, separated):
    values = []
    while True:
        value, rest = read_value(rest, r'[^\s,"]+' if separated else r'[^\s"]+')
        values.append(value.strip())
        if not separated or not rest.startswith(","):
            return values, rest
        rest = rest[1:]


def read_value(rest, plain):
    if rest.startswith('"'):
        found = re.match(r'"((?:[^"\\]|\\.)*)"', rest, re.S)
        if not found:
            raise Refused("a quotation mark is not closed")
        return re.sub(r'\\(["\\])', r"\1", found[1]), rest[found.end():]
    found = re.match(plain, rest)
    if not found:
        raise Refused("no value")
    return found[0], rest[found.end():]


# The recordings, from the columns that the program exports.



class Texts:
    """The texts of some columns of a recording, as words are searched in them."""

    def __init__(self, recording, columns):
        self.row, self.texts = recording.row, recording.texts
        self.searched = [text for name in columns for text in self.texts(name)]
        # Words that follow each other are a part of this, and so is a word by its beginning.
        self.words = "".join(" " + " ".join(words(text)) + " \n" for text in self.searched)
        self.joined = [joined_words(text) for text in self.searched if JOINT.search(text)]


class Recording:
    def __init__(self, row, changed, entered):
        self.row = row
        self.key = row["catalogue"], row["id"]
        self.folded = {}
        # By rank: the names, with the type, the place and the recordist, and all.
        self.ranked = [Texts(self, sum(RANKED[:rank], ())) for rank in (1, 2, 3)]
        self.searched = self.ranked[2].searched
        self.words = self.ranked[2].words
        self.joined = self.ranked[2].joined
        # What `in:` can have for the lists, and when it entered each of them.
        self.lists = {column: self.named(row[column]) for column in ("lists", "leftLists")}
        self.entered = [(self.named([text]), time) for text, time in entered[self.key]]
        self.changed = changed[self.key]

    def named(self, lists):
        return {source + fold(text) for text in lists for source in ["", self.key[0] + ":"]}

    def texts(self, name):
        """The folded texts of a column that has one or several."""
        if name not in self.folded:
            value = self.row[name]
            values = value if isinstance(value, list) else [] if value is None else [value]
            self.folded[name] = [fold(text) for text in values]
        return self.folded[name]


CODES = {}
AREA_OF = {}
for area, entries in AREAS.items():
    for entry in entries.split():
        # Two letters, and the three of the same country.
        CODES[fold(entry[:2])] = entry[:2]
        CODES[fold(entry[2:])] = entry[:2]
        AREA_OF[entry[:2]] = area


def numbered(text):
    """A number of xeno-canto that is the whole search finds that recording, and not those that
    mention it."""
    return re.sub(r"\A\s*(xc[0-9]+)\s*\Z", r"nr:\1", text, flags=re.IGNORECASE)


def binomial(name):
    """The folded genus and epithet of a scientific name; none of a hybrid, or of a name that is not
    certain."""
    name = name or ""
    if re.search(r"[/×?]|\b(sp|cf|aff)\b", name):
        return None
    found = words(re.sub(r"\(.*?\)", "", name).replace("-", ""))
    return " ".join(found[:2]) if len(found) > 1 else None


def letters(name):
    """An English name without what does not matter in it."""
    return "".join(words(name)).replace("gray", "grey")


class BirdNames:
    """Which recordings names mean: by the list `birds`, and by what recordings say they are of."""

    def __init__(self, recordings, birds):
        self.named = collections.defaultdict(set)
        self.scientific = {}
        self.english = {}
        self.genera = collections.defaultdict(set)
        self.families = {}
        for bird in birds:
            species = binomial(bird["scientificName"])
            self.scientific[species] = {species}
            self.english[letters(bird["vernacularName"])] = {species}
            self.genera[species.split()[0]].add(species)
            for name in (species, species.split()[0], fold(bird["family"])):
                self.families[name] = fold(bird["family"])
        self.stored = {"sp": collections.defaultdict(set), "en": collections.defaultdict(set)}
        # As they are stored, those of subspecies too.
        spelled = collections.defaultdict(set)
        for text in {one.row["scientificName"] for one in recordings}:
            spelled[binomial(text)].add(text)
        for one in recordings:
            species = binomial(one.row["acceptedNameUsage"])
            name = binomial(one.row["scientificName"])
            if species and name:
                self.named[species] |= spelled[name]
                self.stored["sp"][name].add(species)
                for text in one.texts("vernacularName"):
                    self.stored["en"][text].add(species)

    def family(self, one):
        """The family of a recording, folded."""
        name = fold(one.row["scientificName"] or "")
        species = binomial(one.row["acceptedNameUsage"]) or binomial(one.row["scientificName"])
        family = self.families.get(species)
        if family is None and fold(one.row["class"] or "aves") == "aves":
            family = self.families.get(name.split(" ")[0])
        return family or fold(one.row["family"] or "") or self.families.get(name)

    def species(self, text, kinds, stored):
        """The birds that a name means; `stored` if it may be one that only recordings have."""
        scientific = binomial(text) if "sp" in kinds and len(text.split()) == 2 else None
        meanings = [self.scientific.get(scientific)]
        if "en" in kinds:
            meanings.append(self.english.get(letters(text)))
        if "gen" in kinds:
            meanings.append(self.genera.get(fold(text)))
        if stored:
            meanings.append(self.stored["sp"].get(scientific))
        if stored and "en" in kinds:
            meanings.append(self.stored["en"].get(fold(text)))
        return next(filter(None, meanings), set())

    def further(self, terms):
        """Of each term, by its number, the scientific names that the birds that it names are stored
        under."""
        found, plain = collections.defaultdict(set), []

        def add(text, places, kinds=("sp", "en", "gen"), stored=False):
            species = self.species(text, kinds, stored)
            for place in places:
                found[place].update(name for one in species for name in self.named[one])
            return bool(species)

        for place, (negated, tag, values) in enumerate(terms):
            if tag in ("sp", "gen", "en"):
                for value in values:
                    if not value.startswith("="):
                        add(value, [place], [tag], stored=tag != "gen")
            elif tag is None and (negated or len(values) > 1):
                for texts in values:
                    add(" ".join(texts), [place])
            elif tag is None:
                plain.append((place, values[0][0]))

        def add_run(run, **more):
            """Adds what words that follow each other mean together."""
            return add(" ".join(text for _, text in run), [place for place, _ in run], **more)

        is_name = len(plain) > 1 or plain and " " in plain[0][1]
        start = len(plain) if is_name and add_run(plain, stored=True) else 0
        while start < len(plain):
            for end in range(min(len(plain), start + 7), start, -1):
                if add_run(plain[start:end]):
                    start = end
                    break
            else:
                start += 1
        return found


class Evaluator:
    def __init__(self, recordings, lists, catalogues, birds):
        self.recordings = recordings
        self.lists = {fold(text) for text in lists}
        self.catalogues = catalogues
        self.names = BirdNames(recordings, birds)
        self.codes = {}
        for one in recordings:
            for name in one.texts("country"):
                self.codes[name] = one.row["countryCode"]
        self.codes |= NAMES

    def find(self, text):
        terms = parse(numbered(text))
        # With `gone:yes` a recording is in the lists that it left.
        asked = [
            (negated, {fold(value) for value in values})
            for negated, tag, values in terms
            if tag == "gone"]
        if any(values <= ({"no", "none"} if negated else {"yes"}) for negated, values in asked):
            self.list_columns = ["leftLists"]
        else:
            # With `gone:any` it is in both.
            both = any("any" in values and not negated for negated, values in asked)
            self.list_columns = ["lists", "leftLists"] if both else ["lists"]
        self.look_for_numbers(terms)
        named = {
            fold(value)
            for negated, tag, values in terms
            if tag == "in" and not negated
            for value in values} - {"any", "none"}
        # With `in:` only the lists that it names are asked about.
        self.times = {
            "new": lambda one: [
                time for lists, time in one.entered if not named or lists & named],
            "changed": lambda one: one.changed,
        }
        conditions = [
            (negated, self.conditions(tag, values, further))
            for (negated, tag, values), further in self.with_names(terms)]
        # What is in no list any more is left out, unless it, or a number, is asked for.
        finds_unlisted = any(self.asks_for_unlisted(*term) for term in terms)
        # The sample's rows are made up; real ones are stored here.
        has_sample = any(tag in ["source", "in"] for _, tag, _ in terms)

        def may_be_found(one):
            if one.key[0] == "sample" and not has_sample:
                return False
            is_listed = one.row["lists"] or not one.row["leftLists"]
            return finds_unlisted or is_listed or self.is_cited(one)

        def is_found(one):
            return may_be_found(one) and all(
                negated != any(condition(one) for condition in values)
                for negated, values in conditions)

        return {one.key for one in self.recordings if is_found(one)}

    def look_for_numbers(self, terms):
        """A number finds its recording, and a text of digits is one if there is nothing else."""
        numbers = {
            fold(texts[0])
            for negated, tag, values in terms
            if tag is None and not negated
            for texts in values
            if len(texts) == 1}
        self.cited = {text for text in numbers if re.fullmatch("[a-z]+[0-9]+", text)}
        self.digits = None
        negated, tag, values = terms[0]
        is_alone = len(terms) == len(values) == 1
        if is_alone and not negated and tag is None and re.fullmatch("[0-9]+", values[0][0]):
            self.digits = int(values[0][0])

    def is_cited(self, one):
        """Whether the search has the number of a recording."""
        has_digits = self.digits is not None and number(one, "nr") == self.digits
        return has_digits or bool(self.cited & set(one.texts("catalogNumber")))

    def ranks(self, text, found):
        """Of each recording that `find` has just found, its rank; none without plain words."""
        conditions = [
            self.conditions(None, values, further)
            for (negated, tag, values), further in self.with_names(parse(numbered(text)))
            if tag is None and not negated]

        def rank(one):
            if self.is_cited(one):
                return 0
            return next(
                rank for rank, texts in enumerate(one.ranked, start=1)
                if all(any(condition(texts) for condition in values) for values in conditions))

        return {one.key: rank(one) for one in self.recordings if conditions and one.key in found}

    def with_names(self, terms):
        further = self.names.further(terms)
        return [(term, further[place]) for place, term in enumerate(terms)]

    def conditions(self, tag, values, names):
        """One of them holds for what a term finds; `names` are those of the birds that it names."""
        found = [self.condition(tag, value) for value in values]
        if names:
            found.append(lambda one: one.row["scientificName"] in names)
        return found

    @staticmethod
    def asks_for_unlisted(negated, tag, values):
        if tag is None:
            return False
        values = [fold(value) for value in values]
        if tag == "gone":
            return set(values) <= {"no", "none"} if negated else bool({"yes", "any"} & set(values))
        if tag == "in":
            return ("any" if negated else "none") in values
        if negated:
            return False
        return tag == "nr" and all(re.fullmatch(r"=?[a-z]*[0-9]+", value) for value in values)

    def condition(self, tag, value):
        if tag is None:
            conditions = [self.words_condition(text) for text in value]
            return lambda one: all(condition(one) for condition in conditions)
        if tag not in TAGS:
            raise Refused(f"unknown tag {tag}")
        if not value or value == "=":
            raise Refused("no value")
        if fold(value) == "any":
            return (lambda one: True) if tag == "gone" else self.has(tag)
        if fold(value) == "none":
            has = self.has(tag)
            return lambda one: not has(one)
        if tag in TEXTS:
            return self.column_condition(tag, value)
        if tag in NUMBERS:
            return self.number_condition(tag, value)
        return getattr(self, tag + "_condition")(value)

    def words_condition(self, text):
        wanted = words(text)
        following = " " + " ".join(wanted)
        # Letters and then digits are also a number that people cite.
        cited = fold(text) if re.fullmatch(r"[A-Za-z]+[0-9]+", text) else None
        digits = self.digits

        def matches(one):
            return (
                following in one.words
                or cited in one.texts("catalogNumber")
                or digits is not None and number(one, "nr") == digits
                or any(
                    follow(tokens, start, wanted)
                    for tokens in one.joined
                    for start in range(len(tokens))))

        return matches

    def has(self, tag):
        if tag == "cnt":
            return lambda one: bool(one.texts("country")) or one.row["countryCode"] is not None
        if tag in TEXTS and tag != "sp":
            return lambda one: any(one.texts(column) for column in TEXTS[tag][1:])
        if tag == "nr":
            return lambda one: number(one, "nr") is not None
        if tag == "fam":
            return lambda one: self.names.family(one) is not None
        if tag in ("new", "changed"):
            times = self.times[tag]
            return lambda one: bool(times(one))
        if tag == "area":
            return lambda one: one.row["countryCode"] in AREA_OF
        if tag == "obscured":
            return lambda one: any(one.row[name] is not None for name in GENERALIZATIONS)
        column = HAS[tag]

        def is_there(one):
            value = one.row[column]
            return value is not None and value is not False and value != []

        return is_there

    def column_condition(self, tag, value):
        matches, *columns = TEXTS[tag]
        wanted = fold(value)
        if value.startswith("="):
            wanted, matches = wanted[1:], IS
        elif wanted in NEARLY.get(tag, []):
            raise Refused(f"{value} is nearly a value")
        elif tag == "cnt" and self.country_code(wanted):
            return lambda one: one.row["countryCode"] == self.country_code(wanted)
        elif tag == "grp":
            wanted = GROUPS.get(wanted, wanted)
        elif tag == "type" and wanted in NAMED:
            named = self.column_condition(NAMED[wanted], value)
            return lambda one: named(one) or any(wanted in one.texts(column) for column in columns)
        if tag == "sp" and matches is IS:
            # The two words of a subspecies' name are the species' name.
            return lambda one: wanted in (
                *one.texts("specificEpithet"), *one.texts("scientificName"),
                " ".join(one.texts("genus") + one.texts("specificEpithet")))
        return lambda one: any(
            matches(text, wanted) for column in columns for text in one.texts(column))

    def country_code(self, name):
        """Of a code or a whole name."""
        return self.codes.get(name) or CODES.get(name)

    def area_condition(self, value):
        if fold(value) not in AREAS:
            raise Refused("no part of the world")
        return lambda one: AREA_OF.get(one.row["countryCode"]) == fold(value)

    def date_condition(self, value):
        sign = value[:1] if value[:1] in ("<", ">", "=") else ""
        parts = value.removeprefix(sign).split("-")
        half = len(parts) // 2
        is_range = len(parts) == 2 * half and len(parts[half]) == 4
        days = ["-".join(part) for part in ([parts[:half], parts[half:]] if is_range else [parts])]
        for day in days:
            if not re.fullmatch(r"\d{4}(-(0[1-9]|1[0-2])(-\d\d)?)?", day):
                raise Refused("no date")
            try:
                datetime.date.fromisoformat((day + "-01-01")[:10])
            except ValueError:
                raise Refused("no such day") from None
        begin = lambda day: (day + "-00-00")[:10]
        end = lambda day: (day + "-99-99")[:10]
        wanted = begin(days[0]), end(days[-1])
        if wanted[0] > wanted[1] or sign and is_range:
            raise Refused("no range")

        def is_among(one):
            first, _, last = (one.row["eventDate"] or "").partition("/")
            if not first:
                return False
            # Every day that a date may be must be among those asked for, of an interval one.
            low, high = begin(first), end(last or first)
            if last:
                low, high = high, low
            if sign == "<":
                return high < wanted[0]
            if sign == ">":
                return low > wanted[1]
            return wanted[0] <= low and high <= wanted[1]

        return is_among

    def number_condition(self, tag, value):
        month = tag == "month"
        if month:
            value = "-".join(month_number(part) for part in value.split("-"))
        if tag == "nr" and re.fullmatch(r"=?[A-Za-z]+\d+", value):
            wanted = fold(value.removeprefix("="))
            return lambda one: one.texts("catalogNumber") == [wanted]
        amount = r"\d+" if tag in ("nr", "month", "hour") else r"\d+(?:\.\d+)?"
        if tag in ("lat", "lon", "alt"):
            amount = "-?" + amount
        found = re.fullmatch(rf"([<>=]?)({amount})|({amount})-({amount})", value)
        if not found:
            raise Refused(f"{value} is no number")
        numbers = [decimal.Decimal(part) for part in found.groups()[1:] if part]
        if month and not all(1 <= part <= 12 for part in numbers):
            raise Refused("no month")
        if tag == "hour" and not all(part <= 23 for part in numbers):
            raise Refused("no hour")
        first = numbers[0]
        last = numbers[-1]
        if last < first:
            if not month and tag != "hour":
                raise Refused("a range with the larger number first")
            is_wanted = lambda have: have >= first or have <= last
        elif found[1] == "<":
            is_wanted = lambda have: have < first
        elif found[1] == ">":
            is_wanted = lambda have: have > first
        elif found[1] or found[3]:
            is_wanted = lambda have: first <= have <= last
        else:
            near = {"lat": 1, "lon": 1, "len": first / 100}.get(tag, 0)
            is_wanted = lambda have: first - near <= have <= first + near
        return lambda one: (have := number(one, tag)) is not None and is_wanted(have)

    def q_condition(self, value):
        found = re.fullmatch("([<>=]?)([A-E])", value.upper())
        if not found:
            raise Refused("no quality")
        # A is better than B.
        better, accepted, worse = "ABCDE".partition(found[2])
        accepted = {"<": worse, ">": better}.get(found[1], accepted)
        return lambda one: (one.row["quality"] or "?") in accepted

    def box_condition(self, value):
        parts = value.split(",")
        if len(parts) != 4 or not all(re.fullmatch(r"-?\d+(\.\d+)?", part) for part in parts):
            raise Refused("no box")
        south, west, north, east = (decimal.Decimal(part) for part in parts)
        if not (-90 <= south <= north <= 90 and abs(west) <= 180 and abs(east) <= 180):
            raise Refused("no box on the earth")

        def matches(one):
            latitude, longitude = one.row["decimalLatitude"], one.row["decimalLongitude"]
            if latitude is None or not south <= latitude <= north:
                return False
            if west > east:
                return longitude >= west or longitude <= east
            return west <= longitude <= east

        return matches

    def near_condition(self, value):
        parts = value.split(",")
        if len(parts) != 3 or not all(re.fullmatch(r"-?\d+(\.\d+)?", part) for part in parts):
            raise Refused("no place")
        latitude, longitude, kilometres = map(float, parts)
        if abs(latitude) > 90 or abs(longitude) > 180 or kilometres < 0:
            raise Refused("no place on the earth")
        centre = on_sphere(latitude, longitude)

        def matches(one):
            if one.row["decimalLatitude"] is None:
                return False
            place = on_sphere(
                float(one.row["decimalLatitude"]), float(one.row["decimalLongitude"]))
            return 2 * 6371.0088 * math.asin(min(1, math.dist(centre, place) / 2)) <= kilometres

        return matches

    def fam_condition(self, value):
        wanted = fold(value.removeprefix("="))
        matches = IS if value.startswith("=") else BEGINS
        return lambda one: matches(self.names.family(one) or "", wanted)

    def lic_condition(self, value):
        wanted = fold(value.removeprefix("=")).removeprefix("cc ")
        wanted = "cc0" if wanted == "pd" else wanted
        is_code = re.fullmatch(r"(by(-nc)?(-sa|-nd)?|cc0)( \d\.\d( [a-z]{2,3})?)?", wanted)

        def matches(name):
            if is_code:
                short = name.removeprefix("cc ")
                return wanted in (short, re.sub(r" \d\.\d( [a-z]{2,3})?$", "", short))
            return name == wanted if value.startswith("=") else name.startswith(wanted)

        return lambda one: any(matches(name) for name in one.texts("licenseName"))

    def since_condition(self, value):
        if re.fullmatch(r"\d+", value):
            day = ago(days=int(value)).date().isoformat()
        else:
            try:
                day = datetime.datetime.strptime(value, "%Y-%m-%d").date().isoformat()
            except ValueError:
                raise Refused("no day") from None
        return lambda one: (one.row["available"] or "") >= day

    def text_condition(self, value):
        wanted = fold(value)
        return lambda one: any(wanted in text for text in one.searched)

    def in_condition(self, value):
        wanted = fold(value)
        if wanted not in self.lists:
            raise Refused(f"no list {value}", 66)
        columns = self.list_columns
        return lambda one: any(wanted in one.lists[column] for column in columns)

    def source_condition(self, value):
        if fold(value) not in self.catalogues:
            raise Refused("no catalogue")
        return lambda one: one.row["catalogue"] == fold(value)

    def new_condition(self, value):
        return self.age_condition("new", value)

    def changed_condition(self, value):
        return self.age_condition("changed", value)

    def age_condition(self, tag, value):
        found = re.fullmatch(r"(\d+)([mhdw])", fold(value))
        if not found:
            raise Refused("no age")
        oldest = ago(**{AGES[found[2]]: int(found[1])})
        times = self.times[tag]
        return lambda one: any(time >= oldest for time in times(one))

    def yes_or_no(self, tag, value):
        if fold(value) not in ("yes", "no"):
            raise Refused("neither yes nor no")
        has = self.has(tag)
        return lambda one: has(one) == (fold(value) == "yes")

    def obscured_condition(self, value):
        return self.yes_or_no("obscured", value)

    def issue_condition(self, value):
        if fold(value) not in ISSUES:
            raise Refused("no issue")
        return lambda one: fold(value) in one.row["issues"]

    def ann_condition(self, value):
        return self.yes_or_no("ann", value)

    def audio_condition(self, value):
        return self.yes_or_no("audio", value)

    def gone_condition(self, value):
        return self.yes_or_no("gone", value)


def ago(**duration):
    return datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(**duration)


def number(one, tag):
    return number_of(tag, one.row[NUMBERS[tag]])


def number_of(tag, value):
    if tag == "nr":
        found = re.fullmatch(r"(?:[A-Za-z]+:?)?(\d+)", value or "")
        return found and int(found[1])
    return int(value[:2]) if tag == "hour" and value else value


def month_number(text):
    found = [
        position
        for position, name in enumerate(MONTHS, start=1)
        if len(text) >= 3 and name.startswith(fold(text))]
    return str(found[0]) if found else text
