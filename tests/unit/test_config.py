import re
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from pydantic import ValidationError

from app.config import ConfigurationError, Settings, WorkflowOverride, load_settings

SECOND = timedelta(seconds=1)


def load(**environ: str) -> Settings:
    return load_settings(environ, env_file=None)


def mistakes(file: Path | None = None, **environ: str) -> list[str]:
    with pytest.raises(ConfigurationError) as refusal:
        load_settings(environ, file)
    return [line.removesuffix("; see .env.example") for line in str(refusal.value).splitlines()]


def env_file(folder: Path, text: str) -> Path:
    (folder / ".env").write_text(text, encoding="utf-8")
    return folder / ".env"


def test_nothing_needs_to_be_set():
    settings = load()

    assert settings == Settings()
    assert settings.database_url == settings.listen_database_url == settings.broker_url == ""
    assert settings.default_tenant_id == UUID("550e8400-e29b-41d4-a716-446655440000")
    assert (settings.processes, settings.threads, settings.metrics_port) == (2, 16, 9464)
    assert (settings.beat, settings.lease, settings.history) == (5 * SECOND, 30 * SECOND, timedelta(days=30))


def test_the_environment_wins_over_the_file_and_the_file_over_the_defaults(tmp_path):
    file = env_file(tmp_path, "SCRAPERSKY_PROCESSES=3\nSCRAPERSKY_THREADS=5\n")

    settings = load_settings({"SCRAPERSKY_PROCESSES": "4"}, file)

    assert (settings.processes, settings.threads, settings.metrics_port) == (4, 5, 9464)


def test_an_empty_value_in_the_environment_takes_back_what_the_file_says(tmp_path):
    file = env_file(tmp_path, "DATABASE_URL=postgresql://db/leads\nSCRAPERSKY_THREADS=5\n")

    settings = load_settings({"DATABASE_URL": "", "SCRAPERSKY_THREADS": " "}, file)

    assert (settings.database_url, settings.threads) == ("", 16)


def test_without_arguments_the_process_environment_and_the_working_directory_are_read(tmp_path, monkeypatch):
    monkeypatch.chdir(env_file(tmp_path, "SCRAPERSKY_THREADS=5\n").parent)
    monkeypatch.setenv("SCRAPERSKY_PROCESSES", "4")

    settings = load_settings()

    assert (settings.processes, settings.threads) == (4, 5)
    assert Settings().processes == 2, "only load_settings reads the environment"


def test_settings_can_not_be_changed_or_made_of_unknown_names():
    with pytest.raises(ValidationError, match="frozen"):
        Settings().processes = 3
    with pytest.raises(ValidationError, match="proceses"):
        Settings.model_validate({"proceses": 3})


def test_a_mistake_names_the_setting_the_rule_the_value_and_the_remedy():
    with pytest.raises(ConfigurationError) as refusal:
        load(AUTO_SELECT="most")

    assert re.fullmatch("AUTO_SELECT: expected none, or some of .*, got 'most'; see .env.example", str(refusal.value))


def test_all_mistakes_are_told_at_once_one_line_each():
    found = mistakes(
        DEFAULT_TENANT_ID="me",
        SCRAPERSKY_PROCESSES="0",
        SCRAPERSKY_THREADS="many\nmore",
        SCRAPERSKY_KEEP_SUCCESSES="perhaps",
        SCRAPERSKY_PROCESES="2",
    )

    assert found == [
        "SCRAPERSKY_PROCESES: unknown setting, did you mean SCRAPERSKY_PROCESSES?",
        "DEFAULT_TENANT_ID: expected a UUID, got 'me'",
        "SCRAPERSKY_PROCESSES: expected a whole number from 1 to 64, got '0'",
        r"SCRAPERSKY_THREADS: expected a whole number from 1 to 256, got 'many\nmore'",
        "SCRAPERSKY_KEEP_SUCCESSES: expected true or false, got 'perhaps'",
    ]


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://localhost/leads",
        "postgres://me:p%40ss%2Fword@db.example:6543/leads?sslmode=require",
        "postgresql://one:5432,two:5432/leads?target_session_attrs=read-write",
        "postgresql:///leads?host=/run/postgresql",
        "postgresql://me:what?@db.example/leads",
        "postgresql://me@db.example/le%40ds?application_name=me@home",
    ],
)
def test_a_url_that_psycopg_accepts_is_accepted(url):
    assert load(DATABASE_URL=url, LISTEN_DATABASE_URL=url).listen_database_url == url


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+asyncpg://me:hidden@db.example/leads",
        "postgresql://me:hid@den@db.example/leads",
        "postgresql://me:hid/den@db.example/leads",
        "postgresql://me:12/hidden@db.example/leads",
        "postgresql://me:hidden",
        "postgresql://me:hidden%@db.example/leads",
        "postgresql://me:hidden@db.example/leads?pgbouncer=true",
        "postgresql://db.example/leads?password=hidden&pgbouncer=true",
        "me:hidden@db.example:5432/leads",
        "host=db.example user=me password=hidden",
    ],
)
def test_a_url_that_psycopg_can_not_use_is_refused_without_its_password(url):
    (mistake,) = mistakes(LISTEN_DATABASE_URL=url)

    assert mistake.startswith("LISTEN_DATABASE_URL: expected ")
    assert not re.search("hid|den", mistake)


@pytest.mark.parametrize("url", ["redis://:hidden@host:6379/0", "rediss://h", "amqp://me:hidden@h//", "amqps://h:5671"])
def test_redis_and_rabbitmq_are_brokers(url):
    assert load(BROKER_URL=url).broker_url == url


@pytest.mark.parametrize(
    "url", ["localhost:6379", "redis://", "redis://:hidden@h:port", "amqp://a:hidden@[h", "http://h"]
)
def test_any_other_broker_is_refused_without_its_password(url):
    (mistake,) = mistakes(BROKER_URL=url)

    assert mistake.startswith("BROKER_URL: expected redis://host…, rediss://host…, amqp://host… or amqps://host…, got")
    assert "hidden" not in mistake


def test_a_printed_settings_object_hides_passwords():
    settings = load(DATABASE_URL="postgresql://me:hidden@db/leads", BROKER_URL="redis://:hidden@host/0")

    assert "hidden" not in f"{settings!r} {settings}"
    assert "postgresql://me:***@db/leads" in repr(settings)


def test_durations_may_have_decimals():
    settings = load(SCRAPERSKY_POLL_SECONDS="0.5", SCRAPERSKY_SLICE_SECONDS=" 2.25 ", SCRAPERSKY_HISTORY_DAYS="0.5")

    assert (settings.poll, settings.time_slice, settings.history) == (SECOND / 2, 2.25 * SECOND, timedelta(hours=12))


@pytest.mark.parametrize("value", ["5s", "0", "-1", "nan", "inf", "1e300", "00:05", "0.0000001"])
def test_a_duration_is_a_plain_number_above_nothing(value):
    rule = "seconds as a number above 0, such as 5 or 0.5"
    assert mistakes(SCRAPERSKY_SWEEP_SECONDS=value) == [f"SCRAPERSKY_SWEEP_SECONDS: expected {rule}, got '{value}'"]


@pytest.mark.parametrize(
    ("environ", "told"),
    [
        ({"SCRAPERSKY_LEASE_SECONDS": "14.9"}, "15 or more, three times SCRAPERSKY_BEAT_SECONDS, got '14.9'"),
        ({"SCRAPERSKY_BEAT_SECONDS": "20"}, "60 or more, three times SCRAPERSKY_BEAT_SECONDS, got 30"),
    ],
)
def test_a_lease_shorter_than_three_beats_is_refused_even_when_it_is_the_default(environ, told):
    assert mistakes(**environ) == [f"SCRAPERSKY_LEASE_SECONDS: expected {told}"]


def test_a_lease_of_three_beats_is_enough_and_is_not_compared_with_a_mistaken_beat():
    assert load(SCRAPERSKY_LEASE_SECONDS="0.6", SCRAPERSKY_BEAT_SECONDS="0.2").lease == 0.6 * SECOND
    assert len(mistakes(SCRAPERSKY_BEAT_SECONDS="often", SCRAPERSKY_LEASE_SECONDS="1")) == 1


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("SCRAPERSKY_BEAT", ", did you mean SCRAPERSKY_BEAT_SECONDS?"),
        ("scrapersky_threads", ", did you mean SCRAPERSKY_THREADS?"),
        ("database_url", ", did you mean DATABASE_URL?"),
        ("DOMAIN_SCHEDULER_INTERVAL_SECONDS", ", did you mean DOMAIN_SCHEDULER_INTERVAL_MINUTES?"),
        ("DOMAIN_SITEMAP_SCHEDULER_INSTANCES", ", did you mean DOMAIN_SITEMAP_SCHEDULER_MAX_INSTANCES?"),
        ("SCRAPERSKY_QUIXOTIC", ""),
        ("PAGE_CURATION_SCHEDULER_ENABLED", ""),
    ],
)
def test_an_unknown_name_is_refused_with_a_guess_when_there_is_one(tmp_path, name, advice):
    assert mistakes(**{name: ""}) == [f"{name}: unknown setting{advice}"]
    assert mistakes(env_file(tmp_path, f"{name}=1\n")) == [f"{name}: unknown setting{advice}"]


def test_names_of_other_programs_and_of_the_supervisor_pass():
    assert load(SCRAPERSKY_SUPERVISOR="4711", PATH="/bin", CRON_SCHEDULER_BATCH_SIZE="x") == Settings()


def test_the_old_scheduler_names_become_overrides_of_their_workflows():
    prefixes = ["DEEP_SCAN", "DOMAIN_EXTRACTION", "DOMAIN", "DOMAIN_SITEMAP", "SITEMAP_IMPORT", "PAGE_CURATION"]
    sizes = {f"{prefix}_SCHEDULER_BATCH_SIZE": str(size) for size, prefix in enumerate(prefixes, start=1)}

    settings = load(**sizes, DOMAIN_SCHEDULER_MAX_INSTANCES="3", DEEP_SCAN_SCHEDULER_INTERVAL_MINUTES="0.5")

    assert settings.overrides == {
        "deep_scan": WorkflowOverride(batch=1, sweep=timedelta(seconds=30)),
        "domain_extraction": WorkflowOverride(batch=2),
        "domain_metadata": WorkflowOverride(batch=3, max_in_flight=3),
        "sitemap_discovery": WorkflowOverride(batch=4),
        "sitemap_import": WorkflowOverride(batch=5),
        "page_curation": WorkflowOverride(batch=6),
    }


def test_an_old_setting_with_a_wrong_value_is_called_by_its_old_name():
    found = mistakes(DOMAIN_SITEMAP_SCHEDULER_BATCH_SIZE="all", DEEP_SCAN_SCHEDULER_INTERVAL_MINUTES="0")

    assert sorted(found) == [
        "DEEP_SCAN_SCHEDULER_INTERVAL_MINUTES: expected minutes as a number above 0, such as 5 or 0.5, got '0'",
        "DOMAIN_SITEMAP_SCHEDULER_BATCH_SIZE: expected a whole number from 1 to 10000, got 'all'",
    ]


def test_the_retired_sitemap_scheduler_is_refused_with_the_names_that_replaced_it():
    (mistake,) = mistakes(SITEMAP_SCHEDULER_BATCH_SIZE="25")

    heirs = "SITEMAP_IMPORT_SCHEDULER_* and DOMAIN_SITEMAP_SCHEDULER_*"
    assert mistake == f"SITEMAP_SCHEDULER_BATCH_SIZE: no longer a setting, replaced by {heirs}; set those instead"


def test_the_home_directory_is_expanded_and_absolute(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    assert load(SCRAPERSKY_HOME="~/data").home == load(SCRAPERSKY_HOME="data").home == tmp_path / "data"
    assert mistakes(SCRAPERSKY_HOME="~nobody-of-that-name/data")[0].startswith("SCRAPERSKY_HOME: expected a directory")


def test_data_is_kept_in_the_users_own_directory_except_for_root(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)

    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert load().home.name == "scrapersky"
    assert load().home.is_relative_to(tmp_path)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert load().home == Path("/var/lib/scrapersky")


@pytest.mark.parametrize("host", ["10.0.0.1", "::1", "localhost", "metrics.internal"])
def test_metrics_may_be_served_on_any_host(host):
    assert load(SCRAPERSKY_METRICS_HOST=host).metrics_host == host


@pytest.mark.parametrize("host", ["127.0.0.1:9464", "http://localhost", "two words"])
def test_a_metrics_host_with_more_than_a_host_is_refused(host):
    told = f"SCRAPERSKY_METRICS_HOST: expected a host without a port, got '{host}'"
    assert mistakes(SCRAPERSKY_METRICS_HOST=host) == [told]


def test_log_levels_and_formats_may_be_written_in_capitals():
    assert load(SCRAPERSKY_LOG_LEVEL="DEBUG", SCRAPERSKY_LOG_FORMAT="Json") == Settings(
        log_level="debug", log_format="json"
    )


def test_a_file_may_have_comments_quotes_references_and_a_byte_order_mark(tmp_path):
    url = 'DATABASE_URL="postgresql://me:${PASSWORD}@db/leads"'
    file = env_file(tmp_path, f"\ufeff# ours\nPASSWORD=secret\nexport SCRAPERSKY_THREADS='5'  # five\n\n{url}\n")

    settings = load_settings({}, file)

    assert (settings.threads, settings.database_url) == (5, "postgresql://me:secret@db/leads")


def test_broken_lines_of_a_file_are_told_by_number_and_never_shown(tmp_path, caplog):
    file = env_file(tmp_path, '# ours\n\n\nDATABASE_URL="postgresql://me:hidden\nSCRAPERSKY_THREADS=0\n\nhidden\n')

    assert mistakes(file) == [
        *(f"{file} line {number}: expected NAME=value" for number in (4, 7)),
        "SCRAPERSKY_THREADS: expected a whole number from 1 to 256, got '0'",
    ]
    assert caplog.text == "", "the parser's own warning would be a second telling"


def test_a_file_that_is_not_text_is_refused(tmp_path):
    (file := tmp_path / ".env").write_bytes(b"SCRAPERSKY_THREADS=\xff\n")

    assert mistakes(file) == [f"{file}: expected a readable file in UTF-8, got UnicodeDecodeError"]


def test_no_file_is_needed_and_a_directory_of_that_name_is_no_file(tmp_path):
    assert load_settings({}, tmp_path / "missing") == load_settings({}, tmp_path) == Settings()
