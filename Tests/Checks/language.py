"""The language of docs/search.md, read and evaluated a second time, written from that page alone;
and random searches in it."""

import collections
import datetime
import decimal
import functools
import random
import re
import unicodedata

LETTERS = str.maketrans({
    "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i"})


def fold(text):
    """Text as it is compared: without case and accents."""
    parts = unicodedata.normalize("NFD", text.lower())
    return "".join(part for part in parts if unicodedata.category(part) != "Mn").translate(LETTERS)


def words(text):
    return re.findall(r"[^\W_]+", fold(text))


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
            # The commas of a box are its own.
            values, rest = read_values(rest, separated=tag[1].lower() != "box")
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
        if not ahead or negated and len(alternatives) == 1 or re.match(
                r"-|[A-Za-z][A-Za-z_-]*:", ahead):
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

RANKED = [
    ("scientificName", "vernacularName"), ("country", "locality", "recordedBy", "behavior"),
    ("occurrenceRemarks", "associatedTaxa")]
SEARCHED = sum(RANKED, ())


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
        self.searched, self.words, self.joined = (
            getattr(self.ranked[2], name) for name in ("searched", "words", "joined"))
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


# The tags: of each what a value means, as a condition on a recording, and what "any" means.

BEGINS, CONTAINS, IS = str.startswith, str.__contains__, str.__eq__

TEXTS = {
    "gen": (BEGINS, "genus"), "sp": (BEGINS, "specificEpithet", "scientificName"),
    "ssp": (BEGINS, "infraspecificEpithet"), "en": (CONTAINS, "vernacularName"),
    "grp": (BEGINS, "group"), "cnt": (BEGINS, "country"), "loc": (CONTAINS, "locality"),
    "rec": (CONTAINS, "recordedBy"), "rmk": (CONTAINS, "occurrenceRemarks"),
    "also": (CONTAINS, "associatedTaxa"), "type": (IS, "behavior"), "sex": (IS, "sex"),
    "stage": (IS, "lifeStage"), "method": (IS, "samplingProtocol"),
    "ann_sp": (CONTAINS, "annotatedTaxa"), "ann_type": (IS, "annotatedBehavior"),
    "ann_sex": (IS, "annotatedSex"), "ann_stage": (IS, "annotatedLifeStage"),
}
NUMBERS = {
    "len": "mediaDuration", "year": "year", "month": "month", "hour": "eventTime",
    "lat": "decimalLatitude", "lon": "decimalLongitude", "alt": "minimumElevationInMeters",
    "uncertain": "coordinateUncertaintyInMeters", "nr": "catalogNumber",
}
GENERALIZATIONS = ["dataGeneralizations", "informationWithheld"]
ISSUES = ["coordinate", "date", "name", "identification", "casual", "captive", "sound"]
# The detail that is there if a tag has any value.
HAS = {
    **NUMBERS, "sp": "specificEpithet", "box": "decimalLatitude", "q": "quality", "issue": "issues",
    "lic": "licenseName", "since": "available", "date": "eventDate", "text": "id", "in": "lists",
    "source": "catalogue", "audio": "audio", "gone": "leftLists", "ann": "annotations",
}
# The regions of the United Nations (M49), by the codes of ISO 3166-1 with two letters and three.
AREAS = {
    "africa": """
        AOAGO BFBFA BIBDI BJBEN BWBWA CDCOD CFCAF CGCOG CICIV CMCMR CVCPV DJDJI DZDZA EGEGY EHESH ERERI ETETH GAGAB GHGHA GMGMB
        GNGIN GQGNQ GWGNB IOIOT KEKEN KMCOM LRLBR LSLSO LYLBY MAMAR MGMDG MLMLI MRMRT MUMUS MWMWI MZMOZ NANAM NENER NGNGA REREU
        RWRWA SCSYC SDSDN SHSHN SLSLE SNSEN SOSOM SSSSD STSTP SZSWZ TDTCD TFATF TGTGO TNTUN TZTZA UGUGA YTMYT ZAZAF ZMZMB ZWZWE
    """,
    "america": """
        AGATG AIAIA ARARG AWABW BBBRB BLBLM BMBMU BOBOL BQBES BRBRA BSBHS BVBVT BZBLZ CACAN CLCHL COCOL CRCRI CUCUB CWCUW DMDMA
        DODOM ECECU FKFLK GDGRD GFGUF GLGRL GPGLP GSSGS GTGTM GYGUY HNHND HTHTI JMJAM KNKNA KYCYM LCLCA MFMAF MQMTQ MSMSR MXMEX
        NINIC PAPAN PEPER PMSPM PRPRI PYPRY SRSUR SVSLV SXSXM TCTCA TTTTO USUSA UYURY VCVCT VEVEN VGVGB VIVIR
    """,
    "asia": """
        AEARE AFAFG AMARM AZAZE BDBGD BHBHR BNBRN BTBTN CNCHN CYCYP GEGEO HKHKG IDIDN ILISR ININD IQIRQ IRIRN JOJOR JPJPN KGKGZ
        KHKHM KPPRK KRKOR KWKWT KZKAZ LALAO LBLBN LKLKA MMMMR MNMNG MOMAC MVMDV MYMYS NPNPL OMOMN PHPHL PKPAK PSPSE QAQAT SASAU
        SGSGP SYSYR THTHA TJTJK TLTLS TMTKM TRTUR TWTWN UZUZB VNVNM YEYEM
    """,
    "australia": """
        ASASM AUAUS CCCCK CKCOK CXCXR FJFJI FMFSM GUGUM HMHMD KIKIR MHMHL MPMNP NCNCL NFNFK NRNRU NUNIU NZNZL PFPYF PGPNG PNPCN
        PWPLW SBSLB TKTKL TOTON TVTUV UMUMI VUVUT WFWLF WSWSM
    """,
    "europe": """
        ADAND ALALB ATAUT AXALA BABIH BEBEL BGBGR BYBLR CHCHE CZCZE DEDEU DKDNK EEEST ESESP FIFIN FOFRO FRFRA GBGBR GGGGY GIGIB
        GRGRC HRHRV HUHUN IEIRL IMIMN ISISL ITITA JEJEY LILIE LTLTU LULUX LVLVA MCMCO MDMDA MEMNE MKMKD MTMLT NLNLD NONOR PLPOL
        PTPRT ROROU RSSRB RURUS SESWE SISVN SJSJM SKSVK SMSMR UAUKR VAVAT XKXKX
    """,
}
CODES = {
    code: entry[:2]
    for entries in AREAS.values()
    for entry in entries.split()
    for code in (fold(entry[:2]), fold(entry[2:]))}
AREA_OF = {entry[:2]: area for area, entries in AREAS.items() for entry in entries.split()}
# Names of countries that the page has, and beginnings of the samples' names that are names.
NAMES = {
    "uk": "GB", "usa": "US", "holland": "NL", "turkiye": "TR", "turkey": "TR", "czechia": "CZ",
    "ivory coast": "CI", "russia": "RU", "united states": "US", "niger": "NE",
}
GROUPS = {
    "0": "soundscape", "1": "birds", "2": "grasshoppers", "3": "bats", "4": "frogs",
    "5": "land mammals"}
MONTHS = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december"]
AGES = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
NAMED = {"male": "sex", "female": "sex", "adult": "stage", "juvenile": "stage"}
# Words that are nearly a value of xeno-canto's: `type:` and the tags like it refuse them.
NEARLY = {
    "type": ["sonng", "songs", "caal", "alarm cal"], "sex": ["femal", "malle"],
    "stage": ["juvenil", "aduult"], "method": ["in the hannd"], "ann_type": ["sonng"],
    "ann_sex": ["femal"], "ann_stage": ["juvenil"],
}
COLUMNS = [
    "id", "catalogue", "countryCode",
    *dict.fromkeys(column for _, *columns in TEXTS.values() for column in columns),
    *NUMBERS.values(), "quality", "eventDate", *GENERALIZATIONS, "issues", "licenseName",
    "available", "alsoIn", "lists", "leftLists", "audio", "annotations", "acceptedNameUsage",
]
TAGS = [
    *TEXTS, *NUMBERS, "q", "box", "obscured", "issue", "ann", "lic", "area", "date", "since",
    "text", "in", "source", "audio", "new", "changed", "gone"]


def numbered(text):
    """A number of xeno-canto that is the whole search finds that recording, and not those that
    mention it."""
    return re.sub(r"\A\s*(xc[0-9]+)\s*\Z", r"nr:\1", text, flags=re.IGNORECASE)


def binomial(name):
    """The folded genus and epithet of a scientific name; none of a hybrid, or of a name that is not
    certain."""
    found = words(
        re.sub(r"\(.*?\)", "", name or "").replace("-", "")
        if not re.search(r"[/×?]|\b(sp|cf|aff)\b", name or "")
        else "")
    return " ".join(found[:2]) if len(found) > 1 else None


def letters(name):
    """An English name without what does not matter in it."""
    return "".join(words(name)).replace("gray", "grey")


class BirdNames:
    """Which recordings names mean: `birds` is the list, the recordings say which bird they are of.
    """

    def __init__(self, recordings, birds):
        self.named, self.scientific, self.english, self.genera = collections.defaultdict(set), {}, {}, collections.defaultdict(set)
        for bird in birds:
            species = binomial(bird["scientificName"])
            self.scientific[species] = self.english[letters(bird["vernacularName"])] = {species}
            self.genera[species.split()[0]].add(species)
        self.stored = {"sp": collections.defaultdict(set), "en": collections.defaultdict(set)}
        # As they are stored, those of subspecies too.
        spelled = collections.defaultdict(set)
        for text in {one.row["scientificName"] for one in recordings}:
            spelled[binomial(text)].add(text)
        for one in recordings:
            species, name = binomial(one.row["acceptedNameUsage"]), binomial(one.row["scientificName"])
            if species and name:
                self.named[species] |= spelled[name]
                self.stored["sp"][name].add(species)
                for text in one.texts("vernacularName"):
                    self.stored["en"][text].add(species)

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
        is_name = len(plain) > 1 or plain and " " in plain[0][1]
        start = len(plain) if is_name and add(
            " ".join(text for _, text in plain), [place for place, _ in plain], stored=True) else 0
        while start < len(plain):
            for end in range(min(len(plain), start + 7), start, -1):
                run = plain[start:end]
                if add(" ".join(text for _, text in run), [place for place, _ in run]):
                    start = end
                    break
            else:
                start += 1
        return found


class Evaluator:
    def __init__(self, recordings, lists, catalogues, birds):
        self.recordings, self.lists, self.catalogues = recordings, {
            fold(text) for text in lists}, catalogues
        self.names = BirdNames(recordings, birds)
        self.codes = {
            name: one.row["countryCode"] for one in recordings for name in one.texts("country")} | NAMES

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
        # What is in no list any more is left out, unless it, or a number, is asked for.
        finds_unlisted = any(self.asks_for_unlisted(*term) for term in terms)
        # A number finds its recording, and a text of digits is one if there is nothing else.
        numbers = {
            fold(texts[0])
            for negated, tag, values in terms
            if tag is None and not negated
            for texts in values
            if len(texts) == 1}
        self.cited = cited = {text for text in numbers if re.fullmatch("[a-z]+[0-9]+", text)}
        digits = terms[0][2][0][0] if len(terms) == 1 and terms[0][:2] == (False, None) and len(
            terms[0][2]) == 1 else ""
        self.digits = int(digits) if re.fullmatch("[0-9]+", digits) else None
        named = {
            fold(value)
            for negated, tag, values in terms
            if tag == "in" and not negated
            for value in values} - {"any", "none"}
        # With `in:` only the lists that it names are asked about.
        self.times = {
            "new": lambda one: [
                time for lists, time in one.entered if not named or lists & named], "changed": lambda one: one.changed}
        conditions = [
            (
                negated,
                [
                    *map(functools.partial(self.condition, tag), values),
                    *self.name_condition(further)])
            for (negated, tag, values), further in self.with_names(terms)]
        # The sample's rows are made up; real ones are stored here.
        has_sample = any(tag in ["source", "in"] for _, tag, _ in terms)
        return {
            one.key
            for one in self.recordings
            if (has_sample or one.key[0] != "sample") and (
                finds_unlisted
                or one.row["lists"]
                or not one.row["leftLists"]
                or cited & set(one.texts("catalogNumber"))
                or self.digits is not None and number(one, "nr") == self.digits) and all(
                    negated != any(condition(one) for condition in values)
                    for negated, values in conditions)}

    def ranks(self, text):
        """Of each recording that `find` found, its rank; none without plain words."""
        found = self.find(text)
        terms = [
            (term[2], further)
            for term, further in self.with_names(parse(numbered(text)))
            if term[1] is None and not term[0]]
        conditions = [
            [*map(functools.partial(self.condition, None), values), *self.name_condition(further)]
            for values, further in terms]

        def rank(one):
            if self.cited & set(one.texts("catalogNumber")) or self.digits is not None and number(
                    one, "nr") == self.digits:
                return 0
            return next(
                rank for rank, texts in enumerate(one.ranked, start=1)
                if all(any(condition(texts) for condition in values) for values in conditions))

        return {one.key: rank(one) for one in self.recordings if terms and one.key in found}

    def with_names(self, terms):
        further = self.names.further(terms)
        return [(term, further[place]) for place, term in enumerate(terms)]

    @staticmethod
    def name_condition(names):
        return [lambda one: one.row["scientificName"] in names] if names else []

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
        if tag in ("new", "changed"):
            times = self.times[tag]
            return lambda one: bool(times(one))
        if tag == "area":
            return lambda one: one.row["countryCode"] in AREA_OF
        if tag == "obscured":
            return lambda one: any(one.row[name] is not None for name in GENERALIZATIONS)
        column = HAS[tag]
        return lambda one: one.row[column] is not None and one.row[column] is not False and one.row[column] != []

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
        if not re.fullmatch(r"\d{4}(-(0[1-9]|1[0-2])(-\d\d)?)?", value):
            raise Refused("no date")
        try:
            datetime.date.fromisoformat((value + "-01-01")[:10])
        except ValueError:
            raise Refused("no such day") from None
        def overlaps(one):
            first, _, last = (one.row["eventDate"] or "").partition("/")
            if last:
                return (first + "-00-00")[:10] <= (value + "-99-99")[:10] and (
                    value + "-00-00")[:10] <= (last + "-99-99")[:10]
            return f"{first}-".startswith(f"{value}-")

        return overlaps

    def number_condition(self, tag, value):
        month = tag == "month"
        if month:
            value = "-".join(month_number(part) for part in value.split("-"))
        if tag == "nr" and re.fullmatch(r"=?[A-Za-z]+\d+", value):
            wanted = fold(value.removeprefix("="))
            return lambda one: one.texts("catalogNumber") == [wanted]
        amount = r"\d+" if tag in ("nr", "month", "hour") else r"-?\d+(?:\.\d+)?" if tag in (
            "lat", "lon", "alt") else r"\d+(?:\.\d+)?"
        found = re.fullmatch(rf"([<>=]?)({amount})|({amount})-({amount})", value)
        if not found:
            raise Refused(f"{value} is no number")
        numbers = [decimal.Decimal(part) for part in found.groups()[1:] if part]
        if month and not all(1 <= part <= 12 for part in numbers):
            raise Refused("no month")
        if tag == "hour" and not all(part <= 23 for part in numbers):
            raise Refused("no hour")
        first, last = numbers[0], numbers[-1]
        if last < first:
            if not month and tag != "hour":
                raise Refused("a range with the larger number first")
            return lambda one: (have := number(one, tag)) is not None and (
                have >= first or have <= last)
        if found[1] == "<":
            return lambda one: (have := number(one, tag)) is not None and have < first
        if found[1] == ">":
            return lambda one: (have := number(one, tag)) is not None and have > first
        if not found[1] and not found[3]:
            near = {"lat": 1, "lon": 1, "len": first / 100}.get(tag, 0)
            first, last = first - near, first + near
        return lambda one: (have := number(one, tag)) is not None and first <= have <= last

    def q_condition(self, value):
        found = re.fullmatch("([<>=]?)([A-E])", value.upper())
        if not found:
            raise Refused("no quality")
        # A is better than B.
        accepted = {
            "<": "ABCDE"["ABCDE".index(found[2]) + 1:], ">": "ABCDE"[:"ABCDE".index(found[2])]}.get(
                found[1], found[2])
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
            return west <= longitude <= east if west <= east else longitude >= west or longitude <= east

        return matches

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
            day = (
                datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(
                    days=int(value))).date().isoformat()
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
        oldest = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(
            **{AGES[found[2]]: int(found[1])})
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


# Random expressions.

class Generator:
    def __init__(self, seed, recordings, lists, catalogues):
        self.random, self.recordings = random.Random(seed), recordings
        self.lists, self.catalogues = sorted(lists), sorted(catalogues)
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
            terms.append(self.random.choice([
                "gone:yes", "gone:no", "-gone:yes", "gone:any", "-gone:any"]))
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
            return sign + self.random.choice([", ", ",", " , "]).join(
                " ".join([self.word(), self.phrase()][: self.random.choice([1, 1, 2])])
                for _ in range(self.random.randint(2, 3)))
        if kind < 0.21:
            return sign + self.joined()
        if kind < 0.25:
            return sign + self.phrase()
        if kind < 0.31:
            return sign + self.name()
        tag = self.random.choice([*TAGS, "in", "in", "gone"])
        # `gone:yes` changes what `in:` means only if it is the whole term.
        count = 1 if tag in ("box", "gone") else self.random.choice([1, 1, 1, 2, 3])
        values = [self.value(tag) for _ in range(count)]
        return sign + self.cased(tag) + ":" + ",".join(values)

    def wrong(self):
        """A term that the page says is refused."""
        pick = self.random.choice
        tag = pick([*TEXTS, "text", "lic"])
        return pick([
            pick(["ctn:poland", "qq:A", "fam:turdidae", "area:europa", "length:30", "-typ:song"]),
            pick(["OR", "AND", "NOT", "|"]), "-", '"?!"', f'"{tag}', f'{tag}:"', f"{pick(TAGS)}:",
            f'{tag}:""', f"{tag}:a,", f"{tag}:,a", f'{tag}:"=",a',
            pick(["q:F", "q:AB", "q:A-C", 'q:"A,B"', "q:1"]),
            "month:" + pick(["13", "0", "mai", "ma", "1-13"]),
            "hour:" + pick(["24", "-1", "07:30", "1-24"]),
            pick(["len:", "year:", "alt:", "nr:", "uncertain:"]) + pick([
                "60-30", "x", "1-", "1-2-3", '"<"', '"1,2"']),
            "box:" + pick([
                "1,2,3", "1,2,3,4,5", "60,0,50,10", "a,b,c,d", "-91,0,0,0", "0,0,0,181"]),
            "since:" + pick(["x", "2024-13-01", "2024-02-30", '">3"', "2024-1"]),
            pick(["new:", "changed:"]) + pick(["7", "2y", "d", "yes"]),
            "date:" + pick(["2024-5", "2023-02-29", "<2024", "2024-05-01T"]),
            pick(["obscured:", "issue:", "audio:", "gone:"]) + pick(["y", "maybe", "1"]),
            "source:" + pick(["gb", "ebird"]),
            "in:" + pick(["thrsh", '"nothing of the kind"', "the,thrsh"]), *self.nearly(),
            " ".join(["a"] * 101), "a" * 4097,
        ])

    def nearly(self):
        tag = self.random.choice(list(NEARLY))
        return [f"{tag}:{self.quoted(self.random.choice(NEARLY[tag]))}"]

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
        return self.random.choice([
            text, text, text, text.upper(), text.lower(), text.title() if "'" not in text else text])

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
        is_plain = re.fullmatch(r"[\w<>=][\w.'&/()*^<>=-]*", text) and text not in (
            "OR", "AND", "NOT")
        if is_plain and self.chance(0.7):
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
        return self.quoted(self.changed(word)) if word not in (
            "OR", "AND", "NOT") and not word.startswith("_") else "song"

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
        return '"' + (
            text[:self.random.randint(1, len(text))].strip() if self.chance(0.3) else text) + '"'

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
            return self.quoted(self.changed(self.random.choice([
                *NAMES, *CODES, *(self.values["countryCode"] * 3)])))
        if self.chance(0.15):
            return self.quoted("=" + self.changed(self.random.choice([text, self.part(text, 0)])))
        if matches is IS:
            return self.quoted(self.changed(self.random.choice([
                text, text, text, "no such sound"])))
        if self.chance(0.7):
            text = self.part(text, 0 if matches is BEGINS else None)
        text = self.changed(text)
        return self.quoted(text) if fold(text).strip().strip("=") else "any"

    def number_value(self, tag):
        if tag == "month":
            have = self.random.randint(1, 12)
            names = [MONTHS[have - 1], MONTHS[have - 1][:3], str(have), f"{have:02}"]
            one = self.cased(self.random.choice(names))
            other = self.random.choice([
                str(self.random.randint(1, 12)),
                self.random.choice(MONTHS)[:self.random.randint(3, 9)]])
        elif tag == "hour":
            have = self.random.randint(0, 23)
            one, other = self.random.choice([str(have), f"{have:02}"]), str(self.random.randint(
                0, 23))
        else:
            have = number_of(tag, self.have(NUMBERS[tag]))
            if have is None:
                return "any"
            move = {
                "len": 40, "alt": 200, "uncertain": 200, "nr": 50000, "year": 6, "lat": 4, "lon": 10}[tag]
            other = have + self.random.randint(0, move)
            if tag in ("lat", "lon", "len") and self.chance(0.4):
                have, other = have + decimal.Decimal("0.5"), other + decimal.Decimal("1.25")
            one, other = f"{have:f}" if isinstance(have, decimal.Decimal) else str(have), str(other)
            if tag not in ("lat", "lon", "alt"):
                one, other = one.lstrip("-"), other.lstrip("-")
            if tag == "nr" and self.chance(0.3):
                return self.cased(self.have("alsoIn").replace("xeno-canto ", "XC"))
        return self.quoted(self.random.choice([
            one, f"{one}-{other}", *(sign + str(have) for sign in "<>=")]))

    def q_value(self):
        return self.quoted(
            self.random.choice(["", "", "<", ">", "="]) + self.random.choice("ABCDEabc"))

    def box_value(self):
        south, west = self.have("decimalLatitude"), self.have("decimalLongitude")
        if self.chance(0.5):
            south, west = int(south), int(west)
        south, north = max(-90, south - self.random.randint(0, 9)), min(
            90, south + self.random.randint(1, 9))
        east = min(180, west + self.random.randint(1, 30))
        if self.chance(0.4):
            west, east = east, self.random.randint(-180, int(west))
        value = f"{south},{west},{north},{east}"
        return value if self.chance(0.7) else f'"{value}"'

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
        return self.quoted(self.cased(self.random.choice([
            name, code, f"{code} {version}", f"={name}", "PD", "BY", "BY-NC", "CC", other])))

    def area_value(self):
        return self.cased(self.random.choice([*AREAS]))

    def date_value(self):
        return self.quoted(self.have("eventDate")[:self.random.choice([4, 7, 10])])

    def since_value(self):
        return self.have("available") if self.chance(0.7) else str(self.random.randint(0, 6000))

    def text_value(self):
        part = self.changed(self.part(self.have(*SEARCHED)))
        return self.quoted(part) if fold(part).strip().strip("=") else "any"

    def in_value(self):
        text = self.cased(self.random.choice([
            self.have("lists", "leftLists"), self.random.choice(self.lists)]))
        return self.quoted(text) if re.fullmatch(r"\w+", text) else f'"{text}"'

    def source_value(self):
        return self.cased(self.random.choice(self.catalogues))

    def new_value(self):
        return self.random.choice(["45m", "120m", "12h", "36h", "7d", "20d", "2w", "10w"])

    changed_value = new_value
