"""One text search as the simulator takes it: checked, and cut into pages."""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import Any, Final

from app.demo.places_matching import Place, matching, nearest_first
from app.demo.places_refusals import invalid, invalid_field
from app.demo.places_schema import Schema

REQUESTS: Final = Schema("requests")
PAGE: Final = 20
MOST_PLACES: Final = 60
LARGEST_RADIUS: Final = 50_000

_KINDS: Final = {"textQuery": str, "pageToken": str, "pageSize": int, "maxResultCount": int, "locationBias": dict}
_PAGING: Final = ("pageToken", "pageSize", "maxResultCount")
_OTHER_REQUEST: Final = "Request parameters for paging requests must match the initial SearchText request."
_TOKEN: Final = "AeCrKX"  # noqa: S105 - how Google's page tokens begin


@dataclass(frozen=True)
class SearchRequest:
    """The fields of a request. Those that no test here needs are accepted and have no effect."""

    fields: dict[str, Any]

    @classmethod
    def read(cls, body: bytes) -> "SearchRequest":
        try:
            fields = json.loads(body or b"{}")
        except ValueError:
            raise invalid("Invalid JSON payload received. Unexpected token.") from None
        for name, at in REQUESTS.unknown_fields("SearchTextRequest", fields):
            where = f" at '{at}'" if at else ""
            text = f'Invalid JSON payload received. Unknown name "{name}"{where}: Cannot find field.'
            raise invalid_field(at, text, message=text)
        if not isinstance(fields, dict):
            raise invalid("Invalid JSON payload received. Expected an object.")
        request = cls(fields)
        request.check()
        return request

    def check(self) -> None:
        for name, kind in _KINDS.items():
            if not isinstance(self.fields.get(name, kind()), kind):
                raise invalid(f"Invalid value at '{name}': {json.dumps(self.fields[name])}")
        if not self.fields.get("textQuery", "").strip():
            raise invalid(f"Empty text_query. {_OTHER_REQUEST}" if "pageToken" in self.fields else "Empty text_query.")
        if self.page_size < 0:
            raise invalid("Invalid page_size: it must not be negative.")
        if "locationBias" in self.fields and "locationRestriction" in self.fields:
            raise invalid("location_bias and location_restriction cannot both be set.")
        if not 0 <= self._circle.get("radius", 0) <= LARGEST_RADIUS:
            raise invalid("Invalid location_bias.circle.radius: it must be between 0 and 50000.0.")

    @property
    def page_size(self) -> int:
        return int(self.fields.get("pageSize") or self.fields.get("maxResultCount") or 0)

    def page(self, places: list[Place], secret: bytes) -> dict[str, Any]:
        """What the request finds among the places, from the token's offset on; `{}` when nothing."""
        found = self._found(places)[:MOST_PLACES]
        start = self._offset(secret)
        end = start + min(self.page_size or PAGE, PAGE)
        answer: dict[str, Any] = {"places": found[start:end]} if found[start:end] else {}
        if end < len(found):
            answer["nextPageToken"] = self._token(end, secret)
        return answer

    def _found(self, places: list[Place]) -> list[Place]:
        found = matching(places, self.fields["textQuery"])
        if not self.fields.get("includePureServiceAreaBusinesses"):
            found = [place for place in found if not place.get("pureServiceAreaBusiness")]
        centre = self._circle.get("center")
        return nearest_first(found, centre.get("latitude", 0), centre.get("longitude", 0)) if centre else found

    @property
    def _circle(self) -> dict[str, Any]:
        circle = self.fields.get("locationBias", {}).get("circle")
        return circle if isinstance(circle, dict) else {}

    def _token(self, offset: int, secret: bytes) -> str:
        """The offset, signed together with the request, so that it serves no other request."""
        fields = {name: value for name, value in self.fields.items() if name not in _PAGING}
        signed = json.dumps([offset, fields], sort_keys=True).encode()
        digest = hmac.digest(secret, signed, hashlib.sha256)
        return _TOKEN + base64.urlsafe_b64encode(offset.to_bytes(2) + digest).decode().rstrip("=")

    def _offset(self, secret: bytes) -> int:
        token = self.fields.get("pageToken")
        if not token:
            return 0
        offsets = (
            offset for offset in range(1, MOST_PLACES) if hmac.compare_digest(self._token(offset, secret), token)
        )
        offset = next(offsets, None)
        if offset is None:
            raise invalid(_OTHER_REQUEST)
        return offset
