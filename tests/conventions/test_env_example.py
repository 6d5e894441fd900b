import re
from itertools import pairwise
from pathlib import Path

from app.config import NAMES, Settings, load_settings

EXAMPLE = Path(__file__).parents[2] / ".env.example"
SETTING = re.compile(r"^#?([A-Za-z_]+)=", re.MULTILINE)


def test_the_example_names_every_setting_once_and_in_the_order_of_the_model():
    names = SETTING.findall(EXAMPLE.read_text(encoding="utf-8"))

    assert names == list(NAMES), "write .env.example and app/config.py in the same order, each setting once"


def test_the_example_with_every_line_uncommented_gives_exactly_the_defaults(tmp_path):
    uncommented = tmp_path / ".env"
    uncommented.write_text(SETTING.sub(r"\1=", EXAMPLE.read_text(encoding="utf-8")), encoding="utf-8")

    assert load_settings({}, uncommented) == Settings()


def test_the_example_as_it_stands_gives_exactly_the_defaults():
    assert load_settings({}, EXAMPLE) == Settings()


def test_the_example_writes_out_every_default_that_is_the_same_everywhere():
    written = dict(re.findall(r"^#?([A-Z_]+)=(.*)$", EXAMPLE.read_text(encoding="utf-8"), re.MULTILINE))

    empty = {name for name, value in written.items() if not value}

    assert empty == {
        *("DATABASE_URL", "LISTEN_DATABASE_URL", "BROKER_URL", "SCRAPERSKY_HOME", "SYSTEM_USER_ID"),
        *("GOOGLE_MAPS_API_KEY", "PLACES_RETENTION_DAYS", "SCRAPERSKY_PROXY", "SCRAPERSKY_CA_FILE"),
        *("SCRAPERSKY_BACKOFF_SECONDS", "SCRAPERSKY_TRACES", "SCRAPERSKY_WEB_TOKEN", "SCRAPERSKY_WEB_NAMES"),
        "SCRAPERSKY_WEB_PROXIES",
    }


def test_every_setting_in_the_example_is_explained_on_the_line_above_it():
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()

    unexplained = [line for above, line in pairwise(lines) if SETTING.match(line) and not above.startswith("# ")]

    assert unexplained == []
