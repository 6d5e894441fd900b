"""What becomes of a row when Google refuses: told by the error's status and reason, never by the HTTP code alone."""

import json
import re
from datetime import datetime, time, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from actors.errors import GiveUp, PauseWorkflow, RetryLater, ServerFault, WorkflowError
from actors.fetch.answer import Answer
from actors.parse.json_values import list_at, text_at, value_at

GOOGLES_DAY: Final = ZoneInfo("America/Los_Angeles")
QUOTA_OF_A_MINUTE: Final = timedelta(minutes=1)

# What a person has to do, by the reason that Google gives.
_REMEDIES: Final = {
    "API_KEY_INVALID": "put a valid GOOGLE_MAPS_API_KEY into .env",
    "API_KEY_EXPIRED": "put a valid GOOGLE_MAPS_API_KEY into .env",
    "API_KEY_SERVICE_BLOCKED": "allow the key to use the Places API (New)",
    "API_KEY_IP_ADDRESS_BLOCKED": "allow the key to be used from this machine's address",
    "API_KEY_HTTP_REFERRER_BLOCKED": "use a key that is not restricted to websites",
    "API_KEY_ANDROID_APP_BLOCKED": "use a key that is not restricted to apps",
    "API_KEY_IOS_APP_BLOCKED": "use a key that is not restricted to apps",
    "SERVICE_DISABLED": "enable the Places API (New) in the key's Google Cloud project",
    "BILLING_DISABLED": "enable billing for the key's Google Cloud project",
    "CONSUMER_SUSPENDED": "ask Google why the key's project is suspended",
    "CONSUMER_INVALID": "put the key of an existing Google Cloud project into .env",
}
_TOO_MANY: Final = 429
_CHECK_THE_KEY: Final = "check the key, its restrictions and its project's billing"
_BAD_KEY: Final = re.compile(r"\bAPI key (?:not valid|expired)", re.IGNORECASE)
_PER_DAY: Final = re.compile(r"per ?day|^1/d/", re.IGNORECASE)


class Refusal(NamedTuple):
    """Google's error object, of which every part may be missing."""

    status: str
    message: str
    reason: str
    quota: tuple[str, ...]


def error_of(answer: Answer, *, key: str, now: datetime) -> WorkflowError:
    """The error to raise for an answer that is not 200; the key is in none of its words."""
    refusal = _refusal(answer.body)
    if refusal is None:
        # Not the words of the API: something in between answers, and that may pass.
        text = f"Google Places answered {answer.status} without saying why"
        return RetryLater(text, delay=QUOTA_OF_A_MINUTE) if answer.status == _TOO_MANY else server_fault(text, answer)
    said = refusal._replace(message=refusal.message.replace(key, "<key>"))
    return (
        _about_the_quota(said, now=now)
        or _about_the_key(said)
        or _about_the_server(said, answer)
        or _about_the_request(said)
    )


def server_fault(message: str, answer: Answer) -> ServerFault:
    return ServerFault(message, kind="places", url=answer.url, status=answer.status)


def _refusal(body: bytes) -> Refusal | None:
    try:
        error = value_at(json.loads(body), "error")
    except (ValueError, RecursionError):
        return None
    if not isinstance(error, dict):
        return None
    details = [detail for detail in list_at(error, "details") if isinstance(detail, dict)]
    informed = next((detail for detail in details if text_at(detail, "reason")), {})
    quota = (text_at(informed, "metadata", name) for name in ("quota_limit", "quota_unit"))
    violations = [
        text_at(violation, "description") for detail in details for violation in list_at(detail, "fieldViolations")
    ]
    return Refusal(
        status=text_at(error, "status") or "",
        message=" ".join(filter(None, [text_at(error, "message"), *violations])) or "no message",
        reason=text_at(informed, "reason") or "",
        quota=tuple(filter(None, quota)),
    )


def _about_the_quota(said: Refusal, *, now: datetime) -> WorkflowError | None:
    if said.status != "RESOURCE_EXHAUSTED":
        return None
    if any(_PER_DAY.search(text) for text in (*said.quota, said.message)):
        until = midnight_after(now)
        return PauseWorkflow(f"Google Places: the quota of the day is used up. {said.message}", until=until)
    return RetryLater(f"Google Places: the quota of the minute is used up. {said.message}", delay=QUOTA_OF_A_MINUTE)


def _about_the_key(said: Refusal) -> WorkflowError | None:
    remedy = _REMEDIES.get(said.reason)
    if remedy is None and _BAD_KEY.search(said.message):
        remedy = _REMEDIES["API_KEY_INVALID"]
    if remedy is None and said.status in {"PERMISSION_DENIED", "UNAUTHENTICATED"}:
        remedy = _CHECK_THE_KEY
    if remedy is None:
        return None
    return PauseWorkflow(f"Google Places: {remedy}, then start the workers again. Google says: {said.message}")


def _about_the_server(said: Refusal, answer: Answer) -> WorkflowError | None:
    if said.status not in {"UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED", "UNKNOWN", "ABORTED", "CANCELLED", ""}:
        return None
    return server_fault(f"Google Places answered {answer.status} {said.status}: {said.message}", answer)


def _about_the_request(said: Refusal) -> WorkflowError:
    if said.status == "NOT_FOUND":
        return GiveUp(f"Google Places does not know this place any more; search again. Google says: {said.message}")
    return GiveUp(f"Google Places: {said.status}: {said.message}")


def midnight_after(now: datetime) -> datetime:
    """When Google's next day begins, on the wall clock of California in summer and winter."""
    tomorrow = now.astimezone(GOOGLES_DAY).date() + timedelta(days=1)
    return datetime.combine(tomorrow, time.min, tzinfo=GOOGLES_DAY)
