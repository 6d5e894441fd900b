import pytest

from actors.parse.contacts import find_contacts
from actors.parse.obfuscation import cloudflare, readable


def methods(html):
    found = find_contacts(html, url="https://www.acme-bau.de/", region="DE").emails
    return {email.address: email.method for email in found}


@pytest.mark.parametrize(
    "text",
    [
        "info [at] acme-bau.de",
        "info(at)acme-bau.de",
        "info{at}acme-bau{dot}de",
        "info [ at ] acme-bau [ punkt ] de",
        "info &lt;at&gt; acme-bau.de",
        "info (ät) acme-bau.de",
        "info[arroba]acme-bau[punto]de",
        "info (chiocciola) acme-bau.de",
        "info[@]acme-bau.de",
        "info at acme-bau dot de",
        "E-Mail: info at acme-bau.de",
        "info @ acme-bau.de",
        "Mail: info@ acme-bau . de",
        "Call, or write a line to info @ acme-bau.de today",
        "The workshop answers info @ acme-bau.de",
        "info\uff20acme-bau.de",
        "info%40acme-bau.de",
        "info\\u0040acme-bau.de",
        "E-Mail: info-at-acme-bau.de",
        "E-Mail: info_at_acme-bau.de",
        "Please contact us by email to <b>info AT acme-bau.de</b> with any enquiries.",
        "Questions? Write a line: info AT acme-bau.de, we answer.",
        "E-Mail an: info at acme-bau.de",
        "Just e-mail us: info at acme-bau.de today",
        "Please mail to info at acme-bau.de.",
        "You reach us: info -at- acme-bau.de",
        "info[アット]acme-bau.de",
        "info(골뱅이)acme-bau.de",
        "infoNOSPAM@acme-bau.de",
        "info@NOSPAM.acme-bau.de",
        "info@REMOVE-THIS-acme-bau.de",
        "info<img src='at.gif' alt='@'>acme-bau.de",
        "info <i class='fa fa-at'></i> acme-bau.de",
        "info\u2605acme-bau.de</p><p>\u2605を@に変えてください",
    ],
)
def test_a_written_out_address_is_read(text):
    assert methods(f"<p>{text}</p>") == {"info@acme-bau.de": "obfuscated"}


@pytest.mark.parametrize(
    "text",
    [
        "Meet us at acme-bau.de",
        "Meet us AT acme-bau.de",
        "Follow us at acme-bau.de",
        "look at acme-bau.de",
        "Shop at acme-bau.de",
        "All of it is online AT acme-bau.de",
        "Mail us at acme-bau.de",
        "E-mail me at home at acme-bau.de",
        "MORE AT acme-bau.de",
        "prices AT acme-bau.de/shop",
        "see you AT noon.today",
        "Find us -at- acme-bau.de",
        "e-mail, chat and more at acme-bau.de",
        "Follow us @ acme-bau.de",
        "We are at home. dot com",
        "Anna (AT) Berlin",
        "call @acmebau on LINE",
        "look-at-acme.de",
        "E-Mail: www.look-at-acme.de",
        "Ein Bild@NOSPAM",
        "info\u2605acme-bau.de",
    ],
)
def test_a_sentence_is_not_an_address(text):
    assert methods(f"<p>{text}</p>") == {}


def test_a_mailbox_may_be_called_like_a_verb_after_a_colon():
    assert methods("<p>E-Mail: shop at acme-bau.de</p>") == {"shop@acme-bau.de": "obfuscated"}
    assert methods("<p>By mail order at acme-bau.de</p>") == {}


def test_what_cloudflare_hides_is_shown():
    code = "543d3a323b1435373931793635217a3031"
    html = f"<p>Mail: <a data-cfemail='{code}' href='/cdn-cgi/l/email-protection'>[email protected]</a>"

    assert cloudflare(code) == "info@acme-bau.de"
    assert methods(html) == {"info@acme-bau.de": "cloudflare"}


def test_a_link_that_cloudflare_protects_is_followed_without_its_subject():
    hidden = "info@acme-bau.de?subject=x@y.de"
    code = "20" + "".join(f"{ord(character) ^ 0x20:02x}" for character in hidden)

    assert methods(f"<a href='/cdn-cgi/l/email-protection#{code}'>Mail</a>") == {"info@acme-bau.de": "cloudflare"}


@pytest.mark.parametrize("code", ["", "5", "zz", "54", "ffff", "543d3a"])
def test_a_code_that_hides_nothing_gives_nothing(code):
    assert methods(f"<a data-cfemail='{code}'>x</a><a href='/cdn-cgi/l/email-protection#{code}'>x</a>") == {}


def test_spamspan_typo3_and_attribute_disguises_are_undone():
    spamspan = "<span class='spamspan'><span class='u'>a</span> [at] <span class='d'>acme-bau [dot] de</span></span>"
    typo3 = "<a href=\"javascript:linkTo_UnCryptMailto('nbjmup+cAbdnf.cbv/ef');\">Mail</a>"
    shifted = "<a data-mailto-token='ocknvq,eBceog/dcw0fg' data-mailto-vector='2'>Mail</a>"
    rot13 = "<span data-enc-email='q[at]npzr-onh.qr'></span>"
    parts = "<span data-user='e' data-domain='acme-bau.de'></span>"

    assert list(methods(f"{spamspan}<p>{typo3}</p><p>{shifted}</p><p>{rot13}</p><p>{parts}</p>")) == [
        f"{name}@acme-bau.de" for name in "abcde"
    ]


@pytest.mark.parametrize(
    "element",
    [
        "<a href='#mailgo' data-address='info' data-domain='acme-bau.de'>Mail</a>",
        "<span data-local='info' data-domain='acme-bau.de'></span>",
        "<span data-name='info' data-domain='acme-bau' data-tld='de'></span>",
        "<a data-mail='info' data-website='acme-bau.de'>Mail</a>",
        "<a href='javascript:void(0)' onclick=\"location='mailto:'+'info'+'@'+'acme-bau.de'\">Mail</a>",
    ],
)
def test_two_halves_in_the_attributes_of_an_element_make_an_address(element):
    assert list(methods(f"<p>{element}</p>")) == ["info@acme-bau.de"]


def test_joomlas_cloak_is_lifted():
    script = (
        "var prefix = '&#109;a' + 'i&#108;' + '&#116;o'; var addy7 = '&#105;nf&#111;' + '&#64;';"
        " addy7 = addy7 + '&#97;cme-b&#97;u' + '&#46;' + 'de'; document.getElementById('cloak').innerHTML += addy7;"
    )

    assert methods(f"<span id=cloak>This address is protected.</span><script>{script}</script>") == {
        "info@acme-bau.de": "script"
    }


def test_what_a_script_writes_into_the_page_is_read_and_what_it_merely_knows_is_not():
    written = "<script>document.write('<a href=\"mai' + 'lto:info' + '@' + 'acme-bau.de\">Mail</a>');</script>"
    known = "<script>var config = {owner: 'dev@acme-bau.de'};</script>"

    assert methods(written + known) == {"info@acme-bau.de": "script"}


@pytest.mark.parametrize("text", ["", "a [at] b", "info@acme.de", "x * at * y", "[[at]]", "at at dot dot"])
def test_reading_twice_is_reading_once(text):
    assert readable(readable(text)) == readable(text)


def test_joomlas_hidden_element_is_read():
    html = "<joomla-hidden-mail first='aW5mbw==' last='YWNtZS1iYXUuZGU=' text='eA=='>x</joomla-hidden-mail>"

    assert list(methods(html)) == ["info@acme-bau.de"]
    assert methods(html.replace("aW5mbw==", "%%%")) == {}


@pytest.mark.parametrize(
    "script",
    [
        "var user = 'info'; var host = 'acme-bau.de'; document.write(user + '@' + host);",
        "document.write(String.fromCharCode(105,110,102,111,64,97,99,109,101,45,98,97,117,46,100,101))",
        'document.write("i<!--|-->nfo<!--|--><!--x-->@ac<!--|-->me-bau.de")',
        "document.write(unescape('%69%6e%66%6f%40%61%63%6d%65%2d%62%61%75%2e%64%65'))",
    ],
)
def test_what_a_script_puts_together_from_pieces_and_codes_is_read(script):
    assert list(methods(f"<p>Post:</p><script>{script}</script>")) == ["info@acme-bau.de"]


def test_an_address_written_backwards_is_turned_round():
    html = "<p>Mail: <span style='unicode-bidi:bidi-override; direction:rtl'>ed.uab-emca@ofni</span></p>"

    assert list(methods(html)) == ["info@acme-bau.de"]


def test_what_an_almost_empty_page_shows_without_scripts_counts_and_elsewhere_it_does_not():
    fallback = "<noscript><p>Write to info@acme-bau.de</p></noscript>"

    assert list(methods(f"<div id='root'></div>{fallback}")) == ["info@acme-bau.de"]
    assert methods(f"<p>{'We build houses. ' * 10}</p>{fallback}") == {}
