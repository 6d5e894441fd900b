"""What the tests of the grids share: a few places, and a reader of rows on a page."""

from selectolax.lexbor import LexborHTMLParser

PLACES = """
insert into places_staging (place_id, name, business_type, search_location, rating) values
    ('a', 'Smile Dental', 'dentist', 'Austin, TX', 4.8), ('b', '50% Off Teeth', 'dentist', 'Austin, TX', 3.1),
    ('c', 'Bark Inn', 'kennel', 'Waco, TX', 4.9)
"""
ACTIONS = "select operator, action, workflow, rows from engine.action order by id"


def states(db):
    """Decision and processing of the places, by letter."""
    found = db.execute("select place_id, status, deep_scan_status from places_staging order by 1")
    return {place: (word, processing) for place, word, processing in found}


def rows_on(answer):
    return LexborHTMLParser(answer.text).css("tr[data-row]")


def names_on(visitor, path):
    """What the rows of a page are called."""
    return {row.css_first(".row-link").text() for row in rows_on(visitor.get(path))}
