"""What docs/search.md names: the tags of the language, the columns that they search, and the values
that they know."""

# Columns by the rank of what is found in them.
RANKED = [
    ("scientificName", "vernacularName"),
    ("country", "locality", "recordedBy", "behavior"),
    ("occurrenceRemarks", "associatedTaxa"),
]
SEARCHED = sum(RANKED, ())

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
    "ann_by": (CONTAINS, "annotatedBy"),
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
    **NUMBERS, "sp": "specificEpithet", "box": "decimalLatitude", "near": "decimalLatitude",
    "q": "quality", "issue": "issues",
    "lic": "licenseName", "since": "available", "date": "eventDate", "text": "id", "in": "lists",
    "source": "catalogue", "audio": "audio", "gone": "leftLists", "ann": "annotations",
}
# The regions of the United Nations (M49), by the codes of ISO 3166-1 with two letters and three.
AREAS = {
    "africa": """
        AOAGO BFBFA BIBDI BJBEN BWBWA CDCOD CFCAF CGCOG CICIV CMCMR CVCPV DJDJI DZDZA EGEGY
        EHESH ERERI ETETH GAGAB GHGHA GMGMB GNGIN GQGNQ GWGNB IOIOT KEKEN KMCOM LRLBR LSLSO
        LYLBY MAMAR MGMDG MLMLI MRMRT MUMUS MWMWI MZMOZ NANAM NENER NGNGA REREU RWRWA SCSYC
        SDSDN SHSHN SLSLE SNSEN SOSOM SSSSD STSTP SZSWZ TDTCD TFATF TGTGO TNTUN TZTZA UGUGA
        YTMYT ZAZAF ZMZMB ZWZWE
    """,
    "america": """
        AGATG AIAIA ARARG AWABW BBBRB BLBLM BMBMU BOBOL BQBES BRBRA BSBHS BVBVT BZBLZ CACAN
        CLCHL COCOL CRCRI CUCUB CWCUW DMDMA DODOM ECECU FKFLK GDGRD GFGUF GLGRL GPGLP GSSGS
        GTGTM GYGUY HNHND HTHTI JMJAM KNKNA KYCYM LCLCA MFMAF MQMTQ MSMSR MXMEX NINIC PAPAN
        PEPER PMSPM PRPRI PYPRY SRSUR SVSLV SXSXM TCTCA TTTTO USUSA UYURY VCVCT VEVEN VGVGB
        VIVIR
    """,
    "asia": """
        AEARE AFAFG AMARM AZAZE BDBGD BHBHR BNBRN BTBTN CNCHN CYCYP GEGEO HKHKG IDIDN ILISR
        ININD IQIRQ IRIRN JOJOR JPJPN KGKGZ KHKHM KPPRK KRKOR KWKWT KZKAZ LALAO LBLBN LKLKA
        MMMMR MNMNG MOMAC MVMDV MYMYS NPNPL OMOMN PHPHL PKPAK PSPSE QAQAT SASAU SGSGP SYSYR
        THTHA TJTJK TLTLS TMTKM TRTUR TWTWN UZUZB VNVNM YEYEM
    """,
    "australia": """
        ASASM AUAUS CCCCK CKCOK CXCXR FJFJI FMFSM GUGUM HMHMD KIKIR MHMHL MPMNP NCNCL NFNFK
        NRNRU NUNIU NZNZL PFPYF PGPNG PNPCN PWPLW SBSLB TKTKL TOTON TVTUV UMUMI VUVUT WFWLF
        WSWSM
    """,
    "europe": """
        ADAND ALALB ATAUT AXALA BABIH BEBEL BGBGR BYBLR CHCHE CZCZE DEDEU DKDNK EEEST ESESP
        FIFIN FOFRO FRFRA GBGBR GGGGY GIGIB GRGRC HRHRV HUHUN IEIRL IMIMN ISISL ITITA JEJEY
        LILIE LTLTU LULUX LVLVA MCMCO MDMDA MEMNE MKMKD MTMLT NLNLD NONOR PLPOL PTPRT ROROU
        RSSRB RURUS SESWE SISVN SJSJM SKSVK SMSMR UAUKR VAVAT XKXKX
    """,
}
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
    "family", "class", *NUMBERS.values(), "quality", "eventDate",
    *GENERALIZATIONS, "issues", "licenseName",
    "available", "alsoIn", "lists", "leftLists", "audio", "annotations", "acceptedNameUsage",
]
TAGS = [
    *TEXTS, *NUMBERS, "fam", "q", "box", "near", "obscured", "issue", "ann", "lic", "area", "date",
    "since",
    "text", "in", "source", "audio", "new", "changed", "gone"]
