"""Objects that hold secrets do not show them: not when printed, not in their errors, not in what is logged of them."""

import io
import logging
from datetime import timedelta

import pytest

from actors.fetch.web import WebOptions
from app.config import ConfigurationError, Settings, load_settings
from app.logs import configure_logging, redact
from app.secret_files import SECRETS as NAMES

KEY, PASSWORD = "Zq-places-7-secret", "Zq-pass-7-secret"
BASIC = "dXNlcjpacVByb3h5N1NlY3JldA=="
SECRETS = {
    "DATABASE_URL": f"postgresql://me:{PASSWORD}@db/leads",
    "LISTEN_DATABASE_URL": f"postgresql://me:{PASSWORD}@direct/leads",
    "BROKER_URL": f"amqps://me:{PASSWORD}@broker/%2F",
    "SCRAPERSKY_PROXY": f"http://me:{PASSWORD}@proxy:3128",
    "GOOGLE_MAPS_API_KEY": KEY,
}


@pytest.fixture
def settings():
    return load_settings(SECRETS, env_file=None)


@pytest.fixture
def root_logger():
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    yield root
    root.handlers[:] = before
    root.setLevel(level)


@pytest.mark.parametrize("show", [repr, str, "{}".format, lambda settings: f"{settings!r:>10}"])
def test_printed_settings_show_no_secret(settings, show):
    assert KEY not in show(settings)
    assert PASSWORD not in show(settings)


def test_settings_in_a_log_line_show_no_secret(settings, root_logger):
    configure_logging(Settings(), stream := io.StringIO())

    logging.getLogger("tests").error("%s %r", settings, settings, extra={"fields": {"settings": settings}})

    assert "leads" in stream.getvalue()
    assert KEY not in stream.getvalue()
    assert PASSWORD not in stream.getvalue()


def test_a_traceback_that_passes_the_settings_shows_no_secret(settings, root_logger):
    configure_logging(Settings(), stream := io.StringIO())

    logging.getLogger("tests").error("failed", exc_info=ValueError(settings))

    assert "ValueError" in stream.getvalue()
    assert KEY not in stream.getvalue()
    assert PASSWORD not in stream.getvalue()


@pytest.mark.parametrize("name", SECRETS)
def test_a_mistake_beside_a_secret_shows_no_secret(name):
    with pytest.raises(ConfigurationError) as mistake:
        load_settings({**SECRETS, name: f"\x00{SECRETS[name]}", "SCRAPERSKY_THREADS": "none"}, env_file=None)

    assert "SCRAPERSKY_THREADS" in str(mistake.value)
    assert PASSWORD not in str(mistake.value)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "GOOGLE_MAPS_API_KEY"])
@pytest.mark.parametrize("suffix", ["", "_FILE"])
def test_a_secret_that_is_wrong_is_not_repeated(name, suffix):
    with pytest.raises(ConfigurationError) as mistake:
        load_settings({name + suffix: "hunter2hunter2"}, env_file=None)

    assert str(mistake.value).startswith(f"{name}{suffix}: expected ")
    assert "hunter" not in str(mistake.value)


def test_of_a_wrong_url_only_its_beginning_is_told():
    with pytest.raises(ConfigurationError) as mistake:
        load_settings({"DATABASE_URL": f"mysql://me:{PASSWORD}@db/leads"}, env_file=None)

    assert str(mistake.value) == "DATABASE_URL: expected postgresql://…, got mysql://…; see .env.example"


def test_the_options_of_the_web_client_show_no_proxy_password():
    options = WebOptions(user_agent="Test/1", pause=timedelta(0), proxy=SECRETS["SCRAPERSKY_PROXY"], ca_file=None)

    assert PASSWORD not in repr(options)


@pytest.mark.parametrize(
    "said",
    [
        f"return_value=(b'HTTP/1.0', 407, b'refused Basic {BASIC}', [])",
        f"Proxy-Authorization: Basic {BASIC}",
        f"[(b'Proxy-Authorization', b'Basic {BASIC}')]",
        f"basic {BASIC}",
    ],
)
def test_basic_authentication_is_masked_wherever_somebody_repeats_it(said):
    assert BASIC not in redact(said)


def test_basic_information_is_no_secret():
    assert redact("note: basic information about the basic tariff") == "note: basic information about the basic tariff"
