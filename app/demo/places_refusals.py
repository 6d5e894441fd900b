"""The errors of the Places API (New), word for word where they are known."""

import json
from collections.abc import Callable
from enum import StrEnum
from http import HTTPStatus
from typing import Any, Final, NamedTuple

SERVICE: Final = "places.googleapis.com"
CONSUMER: Final = "project_number:1234567890"
JSON_HEADERS: Final = {"Content-Type": "application/json; charset=UTF-8"}

SEARCH: Final = "SearchTextRequest"
DETAILS: Final = "GetPlaceRequest"


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes


class Fault(StrEnum):
    """What a test or a demo may ask the simulator to do with a request instead of answering it."""

    MINUTE_QUOTA = "per minute"
    DAY_QUOTA = "per day"
    KEY_INVALID = "API_KEY_INVALID"
    KEY_BLOCKED = "API_KEY_SERVICE_BLOCKED"
    SERVICE_DISABLED = "SERVICE_DISABLED"
    BILLING_DISABLED = "BILLING_DISABLED"
    PERMISSION_DENIED = "PERMISSION_DENIED"
    UNAVAILABLE = "UNAVAILABLE"
    INTERNAL = "INTERNAL"
    SLOW = "slow"
    TRUNCATED = "truncated"


class Refused(Exception):
    def __init__(self, code: HTTPStatus, status: str, message: str, *details: dict[str, Any]) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.details = details

    @property
    def reply(self) -> Reply:
        error: dict[str, Any] = {"code": self.code.value, "message": str(self), "status": self.status}
        if self.details:
            error["details"] = list(self.details)
        return json_reply({"error": error}, status=self.code)


def json_reply(value: Any, *, status: HTTPStatus = HTTPStatus.OK) -> Reply:
    return Reply(status.value, dict(JSON_HEADERS), json.dumps(value, indent=2, ensure_ascii=False).encode())


def invalid(message: str, *details: dict[str, Any]) -> Refused:
    return Refused(HTTPStatus.BAD_REQUEST, "INVALID_ARGUMENT", message, *details)


def invalid_field(field: str, description: str, *, message: str = "Request contains an invalid argument.") -> Refused:
    violation = {"field": field, "description": description}
    return invalid(message, {"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [violation]})


def denied(message: str, reason: str | None = None) -> Refused:
    details = [_error_info(reason, {"service": SERVICE, "consumer": CONSUMER})] if reason else []
    return Refused(HTTPStatus.FORBIDDEN, "PERMISSION_DENIED", message, *details)


def no_key() -> Refused:
    return denied(
        "Method doesn't allow unregistered callers (callers without established identity). "
        "Please use API Key or other form of API consumer identity to call this API."
    )


def bad_key() -> Refused:
    info = _error_info("API_KEY_INVALID", {"service": SERVICE})
    return invalid("API key not valid. Please pass a valid API key.", info)


def not_found() -> Refused:
    return Refused(HTTPStatus.NOT_FOUND, "NOT_FOUND", "Requested entity was not found.")


def quota_exceeded(method: str, period: Fault, value: int) -> Refused:
    """The period is one of the two quota faults."""
    unit = {Fault.MINUTE_QUOTA: "1/min/{project}", Fault.DAY_QUOTA: "1/d/{project}"}[period]
    per = "".join(word.capitalize() for word in period.value.split())
    info = _error_info(
        "RATE_LIMIT_EXCEEDED",
        {
            "service": SERVICE,
            "consumer": CONSUMER,
            "quota_metric": f"{SERVICE}/{method}",
            "quota_limit": f"{method}{per}PerProject",
            "quota_limit_value": str(value),
            "quota_unit": unit,
            "quota_location": "global",
        },
    )
    message = (
        f"Quota exceeded for quota metric '{method}' and limit '{method} {period.value}' "
        f"of service '{SERVICE}' for consumer '{CONSUMER}'."
    )
    return Refused(HTTPStatus.TOO_MANY_REQUESTS, "RESOURCE_EXHAUSTED", message, info)


def refusal_for(fault: Fault, method: str) -> Refused | None:
    """The error of a fault; None for the two that spoil an answer instead."""
    if fault in {Fault.MINUTE_QUOTA, Fault.DAY_QUOTA}:
        return quota_exceeded(method, fault, 600)
    if fault in _DENIED:
        return denied(_DENIED[fault], fault.value)
    return _OTHERS[fault]() if fault in _OTHERS else None


def _error_info(reason: str, metadata: dict[str, str]) -> dict[str, Any]:
    kind = "type.googleapis.com/google.rpc.ErrorInfo"
    return {"@type": kind, "reason": reason, "domain": "googleapis.com", "metadata": metadata}


_DENIED: Final = {
    Fault.KEY_BLOCKED: f"Requests to this API {SERVICE} method google.maps.places.v1.Places are blocked.",
    Fault.SERVICE_DISABLED: "Places API (New) has not been used in project 1234567890 before or it is disabled.",
    Fault.BILLING_DISABLED: "This API method requires billing to be enabled.",
}
_OTHERS: Final[dict[Fault, Callable[[], Refused]]] = {
    Fault.KEY_INVALID: bad_key,
    Fault.PERMISSION_DENIED: lambda: denied("The caller does not have permission"),
    Fault.UNAVAILABLE: lambda: Refused(
        HTTPStatus.SERVICE_UNAVAILABLE, "UNAVAILABLE", "The service is currently unavailable."
    ),
    Fault.INTERNAL: lambda: Refused(HTTPStatus.INTERNAL_SERVER_ERROR, "INTERNAL", "Internal error encountered."),
}
