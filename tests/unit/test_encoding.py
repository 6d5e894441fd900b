"""Bytes become the text that a browser would show."""

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors.parse.encoding import decode
from actors.parse.wire_body import WireBody, WireHead, page_text

GERMAN = "Zahnärzte für Ängstliche: täglich geöffnet, außer sonntags. Grüße aus Köln und Düsseldorf!"
RUSSIAN = "Стоматологическая клиника в центре города, приём ежедневно до восьми вечера."


def page(text, encoding, declared):
    return f'<html><head><meta charset="{declared}"><title>{text}</title></head></html>'.encode(encoding)


def test_a_byte_order_mark_beats_the_header_and_the_page():
    assert decode("\ufeffGrüße".encode("utf-16-le"), "text/html; charset=iso-8859-1") == "Grüße"
    assert decode("Grüße".encode("utf-8-sig"), "text/html; charset=utf-16") == "Grüße"


def test_the_header_beats_the_page():
    assert GERMAN in decode(page(GERMAN, "utf-8", "iso-8859-1"), "text/html; charset=utf-8")


def test_the_page_is_believed_where_the_header_says_nothing():
    assert RUSSIAN in decode(page(RUSSIAN, "windows-1251", "windows-1251"), "text/html")


def test_latin_1_is_read_as_windows_1252_as_browsers_do():
    assert decode("“10 €”".encode("cp1252"), "text/html; charset=iso-8859-1") == "“10 €”"


@pytest.mark.parametrize(
    ("text", "encoding"), [(GERMAN, "utf-8"), (GERMAN, "cp1252"), (RUSSIAN, "utf-8"), (RUSSIAN, "windows-1251")]
)
def test_a_page_without_any_label_is_recognised(text, encoding):
    body = f"<p>{text}</p>".encode(encoding) * 3

    assert text in decode(body, None)


@pytest.mark.parametrize(
    "label",
    ["nonsense", "utf-7", "x-user-defined; utf-8", '"', "utf-8\0", "punycode", "rot13", "zlib", "hex",
     "idna", "undefined", "unicode_escape", "mbcs", "utf-32"],
)  # fmt: skip
def test_a_label_that_browsers_do_not_know_is_passed_over(label):
    assert GERMAN in decode(f"<p>{GERMAN}</p>".encode(), f"text/html; charset={label}")
    assert GERMAN in decode(page(GERMAN, "utf-8", label), None)


def test_a_page_that_says_utf_16_in_ascii_is_utf_8():
    assert GERMAN in decode(page(GERMAN, "utf-8", "utf-16"), None)


def test_a_stray_byte_does_not_spoil_a_page_in_utf_8():
    assert GERMAN in decode(f"<p>{GERMAN}</p>".encode() * 10 + b"\xe4 and so on", None)


def test_a_large_page_with_a_stray_byte_takes_little_more_memory_than_its_text():
    body = "漢字".encode() * 500_000 + b"\xff"

    tracemalloc.start()
    text = decode(body, None)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert text.startswith("漢字")
    assert peak < 8 * len(body)


def test_letters_far_down_a_long_page_are_recognised():
    assert RUSSIAN in decode(b"<p>plain</p>" * 50_000 + RUSSIAN.encode("windows-1251") * 3, None)


@pytest.mark.parametrize(
    "body", [b"", b"\xff", b"\x00\xff\xfe" * 50, bytes(range(256)), b"\xef\xbb", b"<meta charset="]
)
def test_no_bytes_are_an_error(body):
    assert isinstance(decode(body, None), str)


@settings(deadline=None)
@given(st.binary(max_size=500), st.text(max_size=30))
def test_no_bytes_under_any_label_are_an_error(body, label):
    assert isinstance(decode(body, f"text/html; charset={label}"), str)


def test_the_text_of_a_body_is_read_with_its_header():
    head = WireHead("https://a.example/", None, "text/html; charset=koi8-r", 100)

    assert page_text(WireBody(head, "Привет".encode("koi8-r"))) == "Привет"
