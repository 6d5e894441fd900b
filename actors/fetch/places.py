"""Google's Places API (New) by plain REST: https://places.googleapis.com/v1. The key travels in a header alone."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, NoReturn, Protocol
from urllib.parse import urlencode

from actors.errors import Denied, GiveUp, NotThere, PauseWorkflow, Unreachable, Unusable
from actors.fetch.answer import Answer
from actors.fetch.places_errors import error_of, server_fault
from actors.parse.json_values import list_at, storable, text_at
from actors.parse.places import DETAIL_FIELDS, SEARCH_FIELDS, position

SERVICE: Final = "https://places.googleapis.com/v1"
SEARCH_MASK: Final = ",".join([*(f"places.{field}" for field in SEARCH_FIELDS), "nextPageToken"])
DETAIL_MASK: Final = ",".join(DETAIL_FIELDS)
POSITION_MASK: Final = "places.location"

PAGE: Final = 20
MOST_PLACES: Final = 60
LARGEST_RADIUS_KM: Final = 50
LARGEST_ANSWER: Final = 4 * 1024 * 1024

NO_KEY: Final = "GOOGLE_MAPS_API_KEY is not set; put it into .env and start the workers again"

_OK: Final = 200
_PLACE_ID: Final = re.compile(r"[A-Za-z0-9_=+-]+")


class Circle(NamedTuple):
    latitude: float
    longitude: float
    radius_km: float


class Ask(Protocol):
    """One request to an API: WebClient.ask. Every status comes back as an answer, and no redirect is followed."""

    def __call__(
        self, method: str, url: str, *, headers: dict[str, str], json: Any = None, most: int = LARGEST_ANSWER
    ) -> Answer: ...


class Places:
    """Without a key, every question pauses the workflow that asks it."""

    def __init__(
        self, ask: Ask, key: str | None, language: str = "en", *, clock: Callable[[], datetime] | None = None
    ) -> None:
        self._ask = ask
        self._key = key
        self._language = language
        self._clock = clock or (lambda: datetime.now(UTC))

    def search(self, text: str, *, region: str | None = None, bias: Circle | None = None) -> list[dict[str, Any]]:
        """All places that Google gives for a text, at most 60, each once; a page that fails fails them all."""
        request = self._request(text, region)
        if bias is not None:
            request["locationBias"] = _circle(bias)
        found: dict[str, dict[str, Any]] = {}
        token: str | None = None
        for _ in range(MOST_PLACES // PAGE):
            answer = self._search(request | ({"pageToken": token} if token else {}), SEARCH_MASK)
            for place in list_at(answer, "places"):
                if place_id := text_at(place, "id"):
                    found.setdefault(place_id, place)
            token = text_at(answer, "nextPageToken")
            if token is None:
                break
        return list(found.values())

    def centre(self, location: str, *, region: str | None = None) -> tuple[float, float] | None:
        """Latitude and longitude of what a person calls a location; None where Google knows no such place."""
        answer = self._search(self._request(location, region) | {"pageSize": 1}, POSITION_MASK)
        found = next(filter(None, map(position, list_at(answer, "places"))), None)
        return found and (float(found[0]), float(found[1]))

    def details(self, place_id: str) -> dict[str, Any]:
        if not _PLACE_ID.fullmatch(place_id):
            raise GiveUp(f"not a valid place id: {place_id[:60]!r}")
        url = f"{SERVICE}/places/{place_id}?{urlencode({'languageCode': self._language})}"
        return self._call("GET", url, DETAIL_MASK)

    def check_key(self) -> None:
        """Ask without a field mask: Google looks at the key first, then refuses, and bills no refusal.

        Raises what is wrong with the key; nothing when it is the request alone that Google does not like.
        """
        if not self._key:
            raise PauseWorkflow(NO_KEY)
        request = self._request("canary", None)
        answer = self._answer("POST", f"{SERVICE}/places:searchText", {"X-Goog-Api-Key": self._key}, request)
        if answer.status == _OK:
            return
        error = error_of(answer, key=self._key, now=self._clock())
        if not isinstance(error, GiveUp):
            raise error

    def _request(self, text: str, region: str | None) -> dict[str, Any]:
        request: dict[str, Any] = {
            "textQuery": text,
            "pageSize": PAGE,
            "languageCode": self._language,
            # Plumbers and cleaners come to their customers and have no address on the map.
            "includePureServiceAreaBusinesses": True,
        }
        return request | ({"regionCode": region} if region else {})

    def _search(self, request: dict[str, Any], mask: str) -> dict[str, Any]:
        return self._call("POST", f"{SERVICE}/places:searchText", mask, request)

    def _call(self, method: str, url: str, mask: str, request: dict[str, Any] | None = None) -> dict[str, Any]:
        if not self._key:
            raise PauseWorkflow(NO_KEY)
        headers = {"X-Goog-Api-Key": self._key, "X-Goog-FieldMask": mask}
        answer = self._answer(method, url, headers, request)
        if answer.status != _OK:
            raise error_of(answer, key=self._key, now=self._clock())
        try:
            found = storable(json.loads(answer.body, parse_constant=_no_number))
        except (ValueError, RecursionError) as error:
            raise server_fault("Google Places answered something that is no JSON", answer) from error
        if not isinstance(found, dict):
            raise server_fault(f"Google Places answered with a {type(found).__name__}, expected an object", answer)
        return found

    def _answer(self, method: str, url: str, headers: dict[str, str], request: dict[str, Any] | None) -> Answer:
        try:
            return self._ask(method, url, headers=headers, json=request, most=LARGEST_ANSWER)
        except (Denied, NotThere, Unusable) as error:
            # Google is there: it is our network that fails, and no row is to blame for that.
            raise Unreachable(f"Google Places cannot be reached: {error}", kind=error.kind, url=url) from error


def _circle(bias: Circle) -> dict[str, Any]:
    centre = {"latitude": bias.latitude, "longitude": bias.longitude}
    return {"circle": {"center": centre, "radius": bias.radius_km * 1000}}


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
