"""Every spelling that extraction reads as an address is masked and cleared when the address is listed."""

import pytest

from actors.parse.lines import INVISIBLE
from actors.parse.obfuscation import AT_WORDS, DOT_WORDS, readable

JANE = "jane.roe@kontor-nord.de"

# Extraction reads each of these as Jane's address.
READABLE = [
    "jane.roe@kontor-nord.de",
    "jane.roe [at] kontor-nord [dot] de",
    "jane.roe (at) kontor-nord (dot) de",
    "jane.roe{at}kontor-nord{punkt}de",
    "jane [dot] roe [at] kontor-nord [dot] de",
    "jane.roe at kontor-nord dot de",
    "jane.roe arroba kontor-nord punto de",
    "Mail: jane.roe at kontor-nord.de",
    "Mail: jane.roe-at-kontor-nord.de",
    "Mail: jane.roe_at_kontor-nord.de",
    "jane.roe AT kontor-nord.de",
    "jane.roe -at- kontor-nord.de",
    "jane.roe @ kontor-nord.de",
    "jane.roe@ kontor-nord.de",
    "Mail: jane.roe @kontor-nord . de",
    "jane.roe @ kontor-nord. de",
    "jane.roe%40kontor-nord.de",
    "jane.roe&#64;kontor-nord.de",
    "jane.roe&commat;kontor-nord.de",
    "jane.roe\\u0040kontor-nord.de",
    "jane.roe\uff20kontor-nord\uff0ede",
    "jane.roe\ufe6bkontor-nord.de",
    "jane.roeNOSPAM@kontor-nord.de",
    "jane.roe@REMOVETHIS.kontor-nord.de",
    "jane.roe\u200b@kontor-nord.de",
    "jane\u00ad.roe@kontor\u200b-nord\u2060.de",
    *(f"jane.roe [{word.replace('-?', '-')}] kontor-nord.de" for word in AT_WORDS.split("|")),
    *(f"jane.roe@kontor-nord ({word.replace(chr(92), '')}) de" for word in DOT_WORDS.split("|")),
]
# In a sentence, a URL or the name of a file extraction takes them for none, or takes them elsewhere.
READABLE_BY_PEOPLE = [
    "secretary of jane.roe at kontor-nord.de",
    "look at jane.roe at kontor-nord.de",
    "ann.lee at smile.com or jane.roe at kontor-nord.de",
    "see us @ jane.roe@kontor-nord.de",
    "jane.roe%40kontor-nord%2Ede",
    "jane%2Eroe%40kontor-nord%2Ede",
    "jane.roe&#x40;kontor-nord&#46;de",
    "jane dot roe at kontor-nord dot de",
    "https://c12.example/jane.roe@kontor-nord.de.xml",
    "https://c12.example/jane.roe@kontor-nord.de.xml.gz",
    "/cards/jane.roe@kontor-nord.de.vcf",
    "/cards/jane.roe@kontor-nord.de.html?x=1",
]
OF_OTHERS = [
    "bob@kontor-nord.de",
    "mary-jane.roe@kontor-nord.de",
    "jane.roe@kontor-nord.de.com",
    "jane.roe at the office, kontor-nord.de",
    "jane.roe@nord.de",
    "look-at-jane.roe@kontor-nord.de",
    "x_a_jane.roe@kontor-nord.de",
    "meet jane, roe at kontor-nord.de",
]


@pytest.fixture
def listed(db):
    db.execute("insert into suppressions (kind, value) values ('email', %s)", [JANE])
    return db


def masked(db, text):
    return db.execute("select engine.masked(%s)", [text]).fetchone()[0]


def test_what_extraction_reads_as_an_address_is_masked(listed):
    assert [text for text in READABLE if JANE not in readable(INVISIBLE.sub("", text))] == []
    assert [text for text in READABLE if masked(listed, text).removeprefix("Mail: ") != "[suppressed]"] == []


def test_what_people_read_as_an_address_is_masked(listed):
    shown = [masked(listed, text) for text in READABLE_BY_PEOPLE]

    assert [text for text in shown if "[suppressed]" not in text] == []
    assert [text for text in shown if any(part in text for part in ("jane", "roe", "kontor"))] == []


def test_the_address_of_another_person_is_not_masked(listed):
    assert [masked(listed, text) for text in OF_OTHERS] == OF_OTHERS


def test_a_listed_name_that_has_the_word_between_hyphens_is_masked_whole(db):
    for address in ("look-at-me@smile.com", "x_a_b@smile.com"):
        db.execute("insert into suppressions (kind, value) values ('email', %s)", [address])

    assert masked(db, "look-at-me@smile.com, x_a_b@smile.com") == "[suppressed], [suppressed]"


@pytest.mark.parametrize("first", ["list", "contact"])
def test_the_words_around_another_contact_are_cleared_of_every_spelling(db, first):
    """Whether or not Jane was a contact herself."""

    def list_jane():
        db.execute("insert into suppressions (kind, value) values ('email', %s)", [JANE])

    def write_others():
        (domain,) = db.execute("insert into domains (domain) values ('kontor-nord.de') returning id").fetchone()
        statement = "insert into contacts (domain_id, email, context) values (%s, %s, %s)"
        for number, text in enumerate([*READABLE, *READABLE_BY_PEOPLE]):
            db.execute(statement, [domain, f"ann{number}@kontor-nord.de", f"Ann, {text}"])
        db.execute(statement, [domain, "eve@kontor-nord.de", "Eve, eve@kontor-nord.de"])

    steps = [list_jane, write_others]
    for step in steps if first == "list" else reversed(steps):
        step()

    kept = db.execute("select context from contacts where context is not null").fetchall()
    assert kept == [("Eve, eve@kontor-nord.de",)]
