"""The businesses as Google Places lists them, in the wire format of the Places API (New). All live in one town."""

import hashlib
from base64 import urlsafe_b64encode
from typing import Any, NamedTuple

from app.demo.world import BUSINESSES
from app.demo.world.site import Business

TOWN = "Skyport"
SEARCHES = ("dentist", "restaurant", "plumber", "lawyer", "store")
LATITUDE, LONGITUDE = 30.2672, -97.7431


class Country(NamedTuple):
    name: str
    street: str
    postcode: str
    zone: str


COUNTRIES = {
    "AT": Country("Austria", "Lindengasse", "5020", "Europe/Vienna"),
    "BR": Country("Brazil", "Rua das Palmeiras", "01310-100", "America/Sao_Paulo"),
    "DE": Country("Germany", "Hafenweg", "12099", "Europe/Berlin"),
    "ES": Country("Spain", "Calle Mayor", "41001", "Europe/Madrid"),
    "FR": Country("France", "Rue du Port", "75011", "Europe/Paris"),
    "GB": Country("United Kingdom", "Orchard Row", "SK1 4AB", "Europe/London"),
    "IT": Country("Italy", "Via del Porto", "50122", "Europe/Rome"),
    "JP": Country("Japan", "Sakuradai", "604-8001", "Asia/Tokyo"),
    "NL": Country("Netherlands", "Havenstraat", "1012 AB", "Europe/Amsterdam"),
    "PL": Country("Poland", "Ulica Portowa", "00-950", "Europe/Warsaw"),
    "SE": Country("Sweden", "Hamngatan", "411 06", "Europe/Stockholm"),
    "US": Country("United States", "Alder Walk", "78799", "America/Chicago"),
}


def places() -> list[dict[str, Any]]:
    """One record for each business of the world."""
    return [_place(number, business, website) for number, (business, website) in enumerate(BUSINESSES, start=1)]


def _place(number: int, business: Business, website: str | None) -> dict[str, Any]:
    identity = _identity(business.name)
    country = COUNTRIES[business.country]
    optional = {"websiteUri": website, "internationalPhoneNumber": business.phone}
    return {
        "name": f"places/{identity}",
        "id": identity,
        "displayName": {"text": business.name, "languageCode": "en"},
        "formattedAddress": f"{number} {country.street}, {country.postcode} {TOWN}, {country.name}",
        "shortFormattedAddress": f"{number} {country.street}, {TOWN}",
        "addressComponents": [
            _component(str(number), "street_number"),
            _component(country.street, "route"),
            _component(TOWN, "locality", "political"),
            _component(country.postcode, "postal_code"),
            {**_component(country.name, "country", "political"), "shortText": business.country},
        ],
        "location": {"latitude": LATITUDE + number / 10_000, "longitude": LONGITUDE - number / 10_000},
        "types": [business.kind, "point_of_interest", "establishment"],
        "primaryType": business.kind,
        "primaryTypeDisplayName": {"text": business.kind.capitalize(), "languageCode": "en"},
        "businessStatus": business.status,
        "googleMapsUri": f"https://maps.google.com/?cid={10_000 + number}",
        "rating": 3.5 + number % 15 / 10,
        "userRatingCount": 7 * number,
        "timeZone": {"id": country.zone},
        "regularOpeningHours": _hours(),
        **{field: value for field, value in optional.items() if value is not None},
    }


def _identity(name: str) -> str:
    """As opaque as a real one, and the same in every run."""
    return "ChIJ" + urlsafe_b64encode(hashlib.sha256(name.encode()).digest()).decode()[:23]


def _component(text: str, *types: str) -> dict[str, Any]:
    return {"longText": text, "shortText": text, "types": list(types), "languageCode": "en"}


def _hours() -> dict[str, Any]:
    """Weekdays from nine to five; a week of Google's begins on Sunday with 0, its descriptions on Monday."""
    weekdays = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
    return {
        "openNow": True,
        "periods": [
            {"open": {"day": day, "hour": 9, "minute": 0}, "close": {"day": day, "hour": 17, "minute": 0}}
            for day in range(1, 6)
        ],
        "weekdayDescriptions": [
            *(f"{day}: 9:00 AM - 5:00 PM" for day in weekdays),
            "Saturday: Closed",
            "Sunday: Closed",
        ],
    }
