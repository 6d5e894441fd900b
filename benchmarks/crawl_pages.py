"""Contact pages of 30 to 50 kB, made from a seed, different for each host, and packed without work per answer.

What all hosts share of a page is packed once, in pieces that end on a byte. What only one host has (its name) is put
between them as a stored block. So an answer costs a checksum and a join.
"""

import random
import struct
import zlib
from itertools import zip_longest
from typing import NamedTuple

VARIANTS = 24
MARK = "\0"  # stands for the host's name
GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
LAST_BLOCK = b"\x01\x00\x00\xff\xff"
FIRST_NAMES = ("Ada", "Ben", "Carla", "David", "Elena", "Frank", "Grace", "Henry", "Irene", "Jonas", "Karen", "Louis")
LAST_NAMES = ("Abbott", "Becker", "Castro", "Doyle", "Engel", "Foster", "Garcia", "Hughes", "Ibsen", "Jensen", "Keller")
ROLES = ("Office Manager", "Sales Director", "Project Lead", "Owner", "Head of Service", "Accountant")
WORDS = (  # noqa: SIM905 - a text
    "we plan build repair and maintain roofs houses kitchens gardens offices for families companies schools in the "
    "region since many years with our own team of trained people who answer the phone and come when they say so "
    "quality price appointment estimate service materials guarantee visit workshop customers projects safety"
).split()


class Page(NamedTuple):
    texts: tuple[bytes, ...]
    """Between two of them stands the name of the host."""
    packed: tuple[bytes, ...]

    def plain(self, host: bytes) -> bytes:
        return host.join(self.texts)

    def gzipped(self, host: bytes) -> bytes:
        plain = self.plain(host)
        stored = b"\x00" + struct.pack("<HH", len(host), len(host) ^ 0xFFFF) + host
        tail = struct.pack("<II", zlib.crc32(plain), len(plain))
        return GZIP_HEAD + stored.join(self.packed) + LAST_BLOCK + tail


def make_pages(seed: int) -> list[Page]:
    return [_packed(_html(random.Random(seed * 1000 + number))) for number in range(VARIANTS)]  # noqa: S311 - a benchmark


def _packed(html: str) -> Page:
    texts = tuple(text.encode() for text in html.split(MARK))
    pieces = []
    for text in texts:
        packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
        pieces.append(packer.compress(text) + packer.flush(zlib.Z_FULL_FLUSH))
    return Page(texts, tuple(pieces))


def _html(chance: random.Random) -> str:
    size = chance.randint(30_000, 50_000)
    people = chance.randint(0, 4)
    parts = [_head(chance), _navigation(chance)]
    written, cards = 0, [_person(chance) for _ in range(people)]
    sections = (_section(chance) for _ in range(1000))
    for card, section in zip_longest(cards, sections):
        parts += [card or "", section or ""]
        written += len(parts[-1]) + len(parts[-2])
        if written > size - 17_000:
            break
    return "".join([*parts, _footer(chance)])


def _sentence(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(8, 18))).capitalize() + ". "


def _paragraph(chance: random.Random) -> str:
    return "".join(_sentence(chance) for _ in range(chance.randint(2, 5)))


def _phone(chance: random.Random) -> str:
    return f"(512) 870-04{chance.randint(0, 99):02}"


def _head(chance: random.Random) -> str:
    styles = "".join(f".c{n}{{margin:{n}px;color:#{chance.randrange(1 << 24):06x}}}" for n in range(200))
    script = "".join(f"window.q=window.q||[];q.push(['event',{n},{chance.random():.6f}]);" for n in range(120))
    card = (
        '{"@context":"https://schema.org","@type":"LocalBusiness","name":"' + MARK + '","url":"http://' + MARK + '/",'
        f'"telephone":"{_phone(chance)}","address":{{"@type":"PostalAddress","streetAddress":"12 Main St",'
        '"addressLocality":"Austin","addressRegion":"TX"}}'
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Contact - {MARK}</title>'
        f'<meta name="description" content="{_sentence(chance)}"><link rel="canonical" href="/contact">'
        f'<style>{styles}</style><script>{script}</script><script type="application/ld+json">{card}</script></head>'
    )


def _navigation(chance: random.Random) -> str:
    entries = "".join(
        f'<li class="menu-item menu-item-{n}"><a href="/{word}-{n}">{word.title()}</a></li>'
        for n, word in enumerate(chance.choices(WORDS, k=40))
    )
    return f'<body class="page"><header><a class="logo" href="/">{MARK}</a><nav><ul>{entries}</ul></nav></header><main>'


def _section(chance: random.Random) -> str:
    colour = chance.randrange(60)
    boxes = "".join(
        f'<div class="elementor-column elementor-col-33 c{colour}" data-id="{chance.randrange(1 << 28):07x}">'
        f'<div class="elementor-widget-wrap"><div class="elementor-icon-box"><a href="/services/{number}"><svg '
        f'width="24" height="24" viewBox="0 0 24 24"><path d="M{chance.randrange(24)} 2L{chance.randrange(24)} '
        '21z"></path></svg>'
        f'</a><h3 class="title">{chance.choice(WORDS).title()}</h3></div></div></div>'
        for number in range(3)
    )
    return (
        f'<section class="c{colour} block"><h2>{" ".join(chance.choices(WORDS, k=4)).title()}</h2><div class="row">'
        f'<p>{_sentence(chance)}</p>{boxes}<img src="/images/{chance.randrange(999)}.jpg" alt="" width="640" '
        f'height="480" loading="lazy"><a class="more" href="/projects/{chance.randrange(999)}">Read more</a></div>'
        "</section>"
    )


def _person(chance: random.Random) -> str:
    first, last = chance.choice(FIRST_NAMES), chance.choice(LAST_NAMES)
    address = f"{first}.{last}@".lower() + MARK
    return (
        f'<div class="team-member"><h3>{first} {last}</h3><p class="role">{chance.choice(ROLES)}</p>'
        f'<p><a href="mailto:{address}">{address}</a></p><p>Phone: {_phone(chance)}</p></div>'
    )


def _footer(chance: random.Random) -> str:
    return (
        f"</main><footer><address>12 Main St, Austin, TX 78701<br>Call us: {_phone(chance)}<br>"
        f'<a href="mailto:info@{MARK}">info@{MARK}</a></address>'
        f"<p>{_paragraph(chance)}</p><p>Copyright 2026 {MARK}</p></footer></body></html>"
    )
