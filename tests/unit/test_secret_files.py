"""Secrets by file, for Docker, Kubernetes and systemd."""

from pathlib import Path

import pytest

from app.config import ConfigurationError, Settings, load_settings
from app.secret_files import FILE_NAMES, LONGEST, SECRETS

URL = "postgresql://me:hidden@db.example/leads"


def load(**environ: object) -> Settings:
    return load_settings({name: str(value) for name, value in environ.items()}, env_file=None)


def mistake(**environ: object) -> str:
    with pytest.raises(ConfigurationError) as refusal:
        load(**environ)
    assert "hidden" not in str(refusal.value)
    return str(refusal.value)


def secret(folder: Path, text: str | bytes) -> Path:
    path = folder / "secret"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "  \n\n"])
def test_a_secret_is_read_from_the_file_that_is_named(tmp_path, end):
    settings = load(DATABASE_URL_FILE=secret(tmp_path, URL + end))

    assert settings.database_url == URL


def test_every_secret_has_a_file_and_nothing_else_has(tmp_path):
    files = {name: tmp_path / name for name in FILE_NAMES}
    for file in files.values():
        file.write_text("")

    assert load(**files) == Settings()
    assert mistake(SCRAPERSKY_THREADS_FILE=tmp_path / "secret") == (
        "SCRAPERSKY_THREADS_FILE: unknown setting, did you mean SCRAPERSKY_THREADS?"
    )


def test_a_key_by_file_is_as_secret_as_one_by_value(tmp_path):
    settings = load(GOOGLE_MAPS_API_KEY_FILE=secret(tmp_path, "hidden\n"))

    assert settings.places_key.get_secret_value() == "hidden"
    assert "hidden" not in repr(settings)


def test_a_value_and_a_file_at_once_are_refused(tmp_path):
    path = secret(tmp_path, URL)

    assert mistake(DATABASE_URL="postgresql://db/leads", DATABASE_URL_FILE=path) == (
        "DATABASE_URL_FILE: expected either this or DATABASE_URL, got both; leave one of them empty"
    )
    assert load(DATABASE_URL="", DATABASE_URL_FILE=path).database_url == URL


def test_a_file_that_is_not_there_is_named_with_the_reason(tmp_path):
    path = tmp_path / "nowhere"

    assert mistake(BROKER_URL_FILE=path) == (
        "BROKER_URL_FILE: expected a readable file with the value in one line of UTF-8, "
        f"got '{path}': No such file or directory; see .env.example"
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"hidden\nhidden\n", "it has more than one line"),
        (b"hidden\xff", "it is not UTF-8"),
        (b"hidden" * LONGEST, "it is larger than 64 kB"),
    ],
)
def test_a_file_that_can_be_no_secret_is_refused_and_not_shown(tmp_path, content, reason):
    assert f"{reason}; see .env.example" in mistake(DATABASE_URL_FILE=secret(tmp_path, content))


def test_a_directory_is_no_secret(tmp_path):
    assert "Is a directory" in mistake(DATABASE_URL_FILE=tmp_path)


def test_a_wrong_value_in_a_file_is_told_by_the_name_of_the_file_setting_and_not_shown(tmp_path):
    assert mistake(DATABASE_URL_FILE=secret(tmp_path, "hidden")) == (
        "DATABASE_URL_FILE: expected a file with postgresql://…, got something else; see .env.example"
    )


def test_a_file_named_in_the_env_file_counts_too(tmp_path):
    (tmp_path / ".env").write_text(f"DATABASE_URL_FILE={secret(tmp_path, URL)}\n")

    assert load_settings({}, tmp_path / ".env").database_url == URL


def test_the_example_tells_every_secret_that_can_be_a_file():
    example = Path(__file__).parents[2] / ".env.example"

    told = [name for name in FILE_NAMES if name in example.read_text(encoding="utf-8")]

    assert len(told) == len(SECRETS)
