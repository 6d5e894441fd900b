"""A place of the Places API (New) as the columns of our tables; what is asked for stands beside what it fills.

SEARCH_FIELDS   -> search_columns     places_staging
DETAIL_FIELDS   -> business_columns   local_businesses
"""

from decimal import Decimal
from typing import Any, Final

from actors.parse.json_values import count_at, decimal_at, list_at, text_at, texts_at, value_at
from actors.parse.opening_hours import opening_hours

SEARCH_FIELDS: Final = (
    "id",
    "displayName.text",
    "formattedAddress",
    "shortFormattedAddress",
    "location",
    "rating",
    "userRatingCount",
    "priceLevel",
)
DETAIL_FIELDS: Final = (
    "id",
    "displayName.text",
    "formattedAddress",
    "addressComponents",
    "location",
    "internationalPhoneNumber",
    "websiteUri",
    "googleMapsUri",
    "primaryType",
    "primaryTypeDisplayName.text",
    "types",
    "rating",
    "userRatingCount",
    "priceLevel",
    "priceRange",
    "businessStatus",
    "movedPlaceId",
    "regularOpeningHours.periods",
    "regularOpeningHours.weekdayDescriptions",
    "timeZone.id",
)

_PRICE_LEVELS: Final = {
    "PRICE_LEVEL_FREE": 0,
    "PRICE_LEVEL_INEXPENSIVE": 1,
    "PRICE_LEVEL_MODERATE": 2,
    "PRICE_LEVEL_EXPENSIVE": 3,
    "PRICE_LEVEL_VERY_EXPENSIVE": 4,
}
# A city is called locality in most countries, postal town in Britain, and a part of New York has neither.
_CITY: Final = ("locality", "postal_town", "sublocality_level_1", "sublocality", "administrative_area_level_3")


def search_columns(place: Any) -> dict[str, Any]:
    return {
        "name": text_at(place, "displayName", "text"),
        "formatted_address": text_at(place, "formattedAddress"),
        "vicinity": text_at(place, "shortFormattedAddress"),
        **_position(place),
        "rating": _rating(place),
        "user_ratings_total": count_at(place, "userRatingCount"),
        "price_level": _PRICE_LEVELS.get(text_at(place, "priceLevel") or ""),
    }


def business_columns(place: Any) -> dict[str, Any]:
    """Every column that a scan fills, with None where Google says nothing: the last scan is what holds."""
    hours = opening_hours(value_at(place, "regularOpeningHours"))
    return {
        "business_name": text_at(place, "displayName", "text"),
        **_address(place),
        **_position(place),
        "phone": text_at(place, "internationalPhoneNumber"),
        "website_url": text_at(place, "websiteUri"),
        "google_maps_url": text_at(place, "googleMapsUri"),
        **_categories(place),
        "rating": _rating(place),
        "reviews_count": count_at(place, "userRatingCount"),
        "price_text": _price(place),
        "business_status": text_at(place, "businessStatus"),
        **{f"{day}_hours": text for day, text in hours.items()},
        "timezone": text_at(place, "timeZone", "id"),
    }


def position(place: Any) -> tuple[Decimal, Decimal] | None:
    """Latitude and longitude. Proto3 leaves out a coordinate that is 0: the other then stands alone."""
    location = value_at(place, "location")
    if not isinstance(location, dict) or not location:
        return None
    complete = {"latitude": 0, "longitude": 0, **location}
    latitude = decimal_at(complete, "latitude", least=-90, most=90, digits=7)
    longitude = decimal_at(complete, "longitude", least=-180, most=180, digits=7)
    return None if latitude is None or longitude is None else (latitude, longitude)


def _position(place: Any) -> dict[str, Decimal | None]:
    latitude, longitude = position(place) or (None, None)
    return {"latitude": latitude, "longitude": longitude}


def _rating(place: Any) -> Decimal | None:
    return decimal_at(place, "rating", least=0, most=5, digits=2)


def _address(place: Any) -> dict[str, str | None]:
    full = text_at(place, "formattedAddress")
    components = list_at(place, "addressComponents")
    return {
        "full_address": full,
        "street_address": _street(components, full or ""),
        "city": _component(components, "longText", *_CITY),
        "state": _component(components, "shortText", "administrative_area_level_1"),
        "zip": _component(components, "longText", "postal_code"),
        "country": _component(components, "longText", "country"),
        "country_code": _component(components, "shortText", "country"),
    }


def _component(components: list[Any], form: str, *kinds: str) -> str | None:
    """The first component of the first kind that is there, in its long or short form."""
    for kind in kinds:
        for component in components:
            if kind in texts_at(component, "types"):
                return text_at(component, form)
    return None


def _street(components: list[Any], full: str) -> str | None:
    """Street and number in the order that the address itself has them, which depends on the country."""
    number = _component(components, "longText", "street_number")
    long, short = (_component(components, form, "route") for form in ("longText", "shortText"))
    if number is None or long is None:
        return long
    orders = ("{number} {route}", "{route} {number}", "{route}, {number}")
    written = [order.format(number=number, route=route) for route in (long, short) if route for order in orders]
    return next((street for street in written if street in full), written[0])


def _categories(place: Any) -> dict[str, Any]:
    types = texts_at(place, "types")
    primary = text_at(place, "primaryType") or next(iter(types), None)
    return {
        "main_category": text_at(place, "primaryTypeDisplayName", "text") or primary,
        "extra_categories": [kind for kind in types if kind != primary] or None,
    }


def _price(place: Any) -> str | None:
    level = _PRICE_LEVELS.get(text_at(place, "priceLevel") or "")
    signs = None if level is None else "$" * level or "Free"
    span = _price_range(value_at(place, "priceRange"))
    return f"{signs} ({span})" if signs and span else signs or span


def _price_range(price_range: Any) -> str | None:
    """10-20 EUR; an amount alone is where an open range begins or ends."""
    start, end = (value_at(price_range, name) for name in ("startPrice", "endPrice"))
    low, high = _amount(start), _amount(end)
    currency = text_at(start, "currencyCode") or text_at(end, "currencyCode") or ""
    if low is None and high is None:
        return None
    amounts = f"{low}-{high}" if low and high else f"from {low}" if low else f"up to {high}"
    return f"{amounts} {currency}".strip()


def _amount(money: Any) -> str | None:
    if not isinstance(money, dict) or not money:
        return None
    units, nanos = text_at(money, "units") or "0", count_at({"nanos": 0, **money}, "nanos")
    if not (units.isascii() and units.isdecimal()) or nanos is None:
        return None
    cents = nanos // 10_000_000
    return f"{units}.{cents:02}" if cents else units
