"""The paper the world is written on: frames for pages, sitemaps and structured data."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

SITEMAP_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def page(title: str, body: str, *, lang: str = "en", head: str = "", charset: str | None = "utf-8") -> str:
    label = f'<meta charset="{charset}">' if charset else ""
    return (
        f'<!doctype html>\n<html lang="{lang}">\n<head>{label}<title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width">{head}</head>\n<body>\n{body}\n</body>\n</html>\n'
    )


def links(targets: Mapping[str, str]) -> str:
    """A menu: words by their addresses."""
    items = "".join(f'<li><a href="{address}">{words}</a></li>' for address, words in targets.items())
    return f"<nav><ul>{items}</ul></nav>"


def urlset(site: str, paths: Iterable[str], *, namespaces: str = "", extra: str = "") -> str:
    entries = "\n".join(f"<url><loc>{site}{path}</loc><lastmod>2026-09-14</lastmod>{extra}</url>" for path in paths)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset {SITEMAP_NAMESPACE} {namespaces}>\n{entries}\n</urlset>\n'


def sitemap_index(*addresses: str, comment: str = "") -> str:
    entries = "\n".join(f"<sitemap><loc>{address}</loc></sitemap>" for address in addresses)
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n{comment}'
    return f"{head}<sitemapindex {SITEMAP_NAMESPACE}>\n{entries}\n</sitemapindex>\n"


def robots(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def linked_data(**fields: Any) -> str:
    document = {"@context": "https://schema.org", **fields}
    return f'<script type="application/ld+json">{json.dumps(document, ensure_ascii=False)}</script>'


def wordpress(theme: str, version: str = "6.8.3", plugins: Iterable[str] = ()) -> str:
    """What a WordPress writes into every head."""
    scripts = "".join(f'<script src="/wp-content/plugins/{plugin}/assets/main.js"></script>' for plugin in plugins)
    return (
        f'<meta name="generator" content="WordPress {version}">'
        f'<link rel="stylesheet" href="/wp-content/themes/{theme}/style.css?ver=1.4">'
        f'<link rel="https://api.w.org/" href="/wp-json/">{scripts}'
    )


def cloudflare_hidden(address: str, key: int = 0x2A) -> str:
    """The address as Cloudflare hides it: every byte mixed with the first."""
    return f"{key:02x}" + "".join(f"{byte ^ key:02x}" for byte in address.encode())
