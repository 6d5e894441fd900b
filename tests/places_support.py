"""Google Places for tests: the simulator behind the real client, reached by its real name over TLS on loopback."""

from contextlib import contextmanager
from datetime import UTC, datetime

from actors.fetch.places import Places
from app.demo.places_simulator import PlacesSimulator
from tests.web_support import Asked, LocalWeb, Reply, client_for

KEY = "AIza-a-secret-of-ours"
NOON = datetime(2026, 7, 1, 12, 0, tzinfo=UTC)

FULL_PLACE = {
    "id": "ChIJfullfullfullfullfull",
    "displayName": {"text": "Example Dental", "languageCode": "en"},
    "formattedAddress": "1 Main St, Austin, TX 78701, USA",
    "shortFormattedAddress": "1 Main St, Austin",
    "addressComponents": [
        {"longText": "1", "shortText": "1", "types": ["street_number"], "languageCode": "en-US"},
        {"longText": "Main Street", "shortText": "Main St", "types": ["route"], "languageCode": "en"},
        {"longText": "Austin", "shortText": "Austin", "types": ["locality", "political"], "languageCode": "en"},
        {"longText": "Texas", "shortText": "TX", "types": ["administrative_area_level_1", "political"]},
        {"longText": "United States", "shortText": "US", "types": ["country", "political"], "languageCode": "en"},
        {"longText": "78701", "shortText": "78701", "types": ["postal_code"], "languageCode": "en-US"},
    ],
    "location": {"latitude": 30.2612345, "longitude": -97.7412345},
    "viewport": {"low": {"latitude": 30.2, "longitude": -97.8}, "high": {"latitude": 30.3, "longitude": -97.7}},
    "types": ["health", "dentist", "point_of_interest", "establishment"],
    "primaryType": "dentist",
    "primaryTypeDisplayName": {"text": "Dentist", "languageCode": "en-US"},
    "nationalPhoneNumber": "(512) 555-0100",
    "internationalPhoneNumber": "+1 512-555-0100",
    "websiteUri": "https://www.exampledental.com/",
    "googleMapsUri": "https://maps.google.com/?cid=123",
    "businessStatus": "OPERATIONAL",
    "movedPlaceId": "ChIJnewnewnewnewnewnewnew",
    "rating": 4.7,
    "userRatingCount": 128,
    "priceLevel": "PRICE_LEVEL_MODERATE",
    "priceRange": {
        "startPrice": {"currencyCode": "USD", "units": "20"},
        "endPrice": {"currencyCode": "USD", "units": "30", "nanos": 500_000_000},
    },
    "timeZone": {"id": "America/Chicago", "version": "2026a"},
    "utcOffsetMinutes": -300,
    "regularOpeningHours": {
        "openNow": True,
        "periods": [
            {"open": {"day": day, "hour": 9, "minute": 0}, "close": {"day": day, "hour": 17, "minute": 0}}
            for day in (1, 2, 3, 4, 5)
        ],
        # Sunday comes first, as it does for an English reader in the United States; Friday is not told.
        "weekdayDescriptions": [
            "Sunday: Closed",
            *(
                f"{day}: 9:00\u202fAM\u2009\u2013\u20095:00\u202fPM"
                for day in ("Monday", "Tuesday", "Wednesday", "Thursday")
            ),
            "Saturday: Closed",
        ],
    },
    "reviews": [{"name": "places/x/reviews/y", "rating": 5, "text": {"text": "Lovely", "languageCode": "en"}}],
}


class PlacesWeb(LocalWeb):
    """A local web on which places.googleapis.com is the simulator."""

    def __init__(self, simulator: PlacesSimulator) -> None:
        super().__init__({})
        self.simulator = simulator

    def page_for(self, asked: Asked) -> Reply:
        path = asked.url.removeprefix("https://places.googleapis.com")
        status, headers, body = self.simulator.handle(asked.method, path, asked.headers, asked.body)
        return Reply(status, body, headers)


class PlacesAnswering(LocalWeb):
    """A local web that gives one answer to everything, for what no simulator would say."""

    def __init__(self, reply: Reply) -> None:
        super().__init__({})
        self.reply = reply

    def page_for(self, _asked: Asked) -> Reply:
        return self.reply


@contextmanager
def places_of(local: LocalWeb, *, key: str | None = KEY, **options: object):
    """The real Places over the real client."""
    with local:
        yield Places(client_for(local, **options).ask, key, clock=lambda: NOON)


def dentists(count: int) -> list[dict]:
    return [
        {
            "id": f"ChIJdentistdentist{number:04}",
            "displayName": {"text": f"Dental {number}", "languageCode": "en"},
            "formattedAddress": f"{number} Main St, Austin, TX 78701, USA",
            "types": ["dentist", "establishment"],
            "primaryType": "dentist",
            "location": {"latitude": 30 + number / 1000, "longitude": -97.7},
        }
        for number in range(count)
    ]
