"""One URL for all spellings of a page's address: without fragment and tracking parameters."""

import re

from actors.parse.urls import Url

_TRACKING = re.compile(
    r"(?:utm_\w+|gclid|gbraid|wbraid|gad_source|dclid|fbclid|msclkid|yclid|twclid|ttclid|li_fat_id|igshid|mc_[ce]id|_ga|_gl"
    r"|mkt_tok|hsa_\w+|_hs\w+|pk_\w+|mtm_\w+|vero_\w+|oly_\w+|ref_src|srsltid)",
    re.IGNORECASE,
)


def page_key(url: Url) -> str:
    """What is stored and compared: no fragment, and no parameters that only say where a visitor came from."""
    href = url.href.partition("#")[0]
    if not url.query:
        return href.removesuffix("?")
    kept = [pair for pair in url.query.split("&") if not _TRACKING.fullmatch(pair.partition("=")[0])]
    address = href.partition("?")[0]
    return f"{address}?{'&'.join(kept)}" if kept else address
