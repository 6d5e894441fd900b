"""Whether Google takes the key, asked in a way that Google refuses and therefore does not bill."""

import re
from collections.abc import Iterator
from dataclasses import replace

from actors.errors import PauseWorkflow, RetryLater, WorkflowError
from actors.fetch.places import Places
from actors.fetch.robots import RobotsStore, StoredRobots
from actors.fetch.web import Patience, WebClient
from app.config import Settings
from app.doctor.finding import Finding, by_setting, failure, warning, well
from app.doctor.patient import Patient
from app.logs import redact
from app.tools import web_options

USUAL_FORM = re.compile(r"AIza[0-9A-Za-z_-]{35}")
SECONDS = 3.0
ANOTHER = by_setting("GOOGLE_MAPS_API_KEY=the key of a project with the Places API (New) and billing enabled")


class NoRobots(RobotsStore):
    """An API has no robots.txt."""

    def load(self, origin: str) -> StoredRobots | None:  # noqa: ARG002 - the store's own shape
        return None

    def save(self, origin: str, robots: StoredRobots) -> None:
        pass


def key(patient: Patient) -> Iterator[Finding]:
    secret = patient.settings.places_key.get_secret_value()
    if not secret:
        yield warning(
            "GOOGLE_MAPS_API_KEY is not set",
            "place_search and deep_scan stand still, and their rows stay queued. All else works from your own domains.",
            ANOTHER,
        )
        return
    try:
        ask(patient.settings, secret)
    except PauseWorkflow as error:
        yield failure(redact(str(error)), "place_search and deep_scan stop at their first row.", ANOTHER)
    except RetryLater as error:
        yield well(f"taken, and busy: {redact(str(error))}")
    except WorkflowError as error:
        form = "has" if USUAL_FORM.fullmatch(secret) else "does not have"
        yield warning(
            f"could not be tried: {redact(str(error))}",
            f"Google did not answer. The key {form} the usual form of one.",
        )
    else:
        yield well("Google takes it; asked without a field mask, which Google refuses and does not bill")


def ask(settings: Settings, secret: str) -> None:
    options = replace(web_options(settings), patience=Patience(request=SECONDS, stream=SECONDS))
    client = WebClient(options, NoRobots())
    try:
        Places(client.ask, secret).check_key()
    finally:
        client.close()
