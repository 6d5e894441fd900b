import pytest

from actors.parse.contacts import find_contacts

URL = "https://www.acme-bau.de/kontakt"


def addresses(html, url=URL):
    return [email.address for email in find_contacts(html, url=url, region="DE").emails]


def only(html, url=URL):
    (email,) = find_contacts(html, url=url, region="DE").emails
    return email


@pytest.mark.parametrize(
    ("html", "method"),
    [
        ("<p>Write to Info@Acme-Bau.DE.</p>", "text"),
        ("<a href='mailto:info@acme-bau.de?subject=Hello%20x@y.de'><img></a>", "mailto"),
        ("<a href='mailto:%20info%40acme-bau.de'>Mail</a>", "mailto"),
        ("<a href='MAILTO://info@acme-bau.de'>Mail</a>", "mailto"),
        ("<a href='http://info@acme-bau.de'>Mail</a>", "mailto"),
        ("<a href='mail:info@acme-bau.de'>Mail</a>", "mailto"),
        ("<a href='https://mail.google.com/mail/?view=cm&fs=1&to=info@acme-bau.de&su=x@y.de'>Mail</a>", "mailto"),
        ("<a href='https://mail.google.com/mail/u/0/?view=cm&amp;to=info@acme-bau.de'>Mail</a>", "mailto"),
        ("<a href='https://mail.google.com/mail/?view=cm&fs=1&to=info%40acme-bau.de&su=x'>Mail</a>", "mailto"),
        ("<a href='//outlook.office.com/mail/deeplink/compose?to=info%40acme-bau.de'>Mail</a>", "mailto"),
        ("<a href='https://Outlook.live.com/mail/0/deeplink/compose?to=info%40acme-bau.de'>Mail</a>", "mailto"),
        ("<form action='MAILTO:info@acme-bau.de'></form>", "mailto"),
        ("<button data-email='info@acme-bau.de'>Mail</button>", "mailto"),
        ("<a href='#' onclick=\"location.href='mailto:info@acme-bau.de'\">Mail</a>", "script"),
        ("<p>info&#64;acme-bau&#46;de</p>", "text"),
        ("<p>Mail <meta itemprop='email' content='info@acme-bau.de'>", "microdata"),
        ('<script type="application/ld+json">{"email": "mailto:info@acme-bau.de"}</script>', "json_ld"),
    ],
)
def test_an_address_is_found_wherever_a_page_puts_it(html, method):
    email = only(html)

    assert (email.address, email.method) == ("info@acme-bau.de", method)


def test_a_link_may_have_several_recipients():
    html = (
        "<a href='mailto:info@acme-bau.de;Max@acme-bau.de,lea@acme-bau.de?cc=tim@acme-bau.de&body=no@acme-bau.de'>x</a>"
    )

    assert addresses(html) == ["info@acme-bau.de", "max@acme-bau.de", "lea@acme-bau.de", "tim@acme-bau.de"]


def test_addresses_come_in_the_order_of_the_page_each_once():
    html = "<p>b@acme-bau.de</p><p>a@acme-bau.de</p><a href='mailto:B@acme-bau.de'>x</a><p>c@acme-bau.de</p>"

    assert addresses(html) == ["b@acme-bau.de", "a@acme-bau.de", "c@acme-bau.de"]


def test_what_the_reader_sees_counts_when_the_link_says_otherwise():
    assert addresses("<a href='mailto:old@acme-bau.de'>new@acme-bau.de</a>") == ["new@acme-bau.de"]


@pytest.mark.parametrize(
    ("html", "address"),
    [
        ("<p>f<a href='mailto:fbianchi@acme-bau.de'>bianchi@acme-bau.de</a></p>", "fbianchi@acme-bau.de"),
        ("<p>E-mail: f <a href='mailto:fbianchi@acme-bau.de'>bianchi@acme-bau.de</a></p>", "fbianchi@acme-bau.de"),
        ("<p>Mail <a href='mailto:fbianchi@acme-bau.de'>bianchi@acme-bau.de</a></p>", "bianchi@acme-bau.de"),
        ("<p>g<a href='mailto:fbianchi@acme-bau.de'>bianchi@acme-bau.de</a></p>", "bianchi@acme-bau.de"),
    ],
)
def test_a_first_letter_that_was_left_outside_the_link_belongs_to_the_address(html, address):
    assert addresses(html) == [address]


@pytest.mark.parametrize(
    "html",
    [
        "<p>E-Mail<b>info@acme-bau.de</b>Telefon</p>",
        "<p>E-Mail:info@acme-bau.de-Telefon</p>",
        "<p>info@acme-bau.deTelefon 030</p>",
        "<p>邮箱info@acme-bau.de电话</p>",
        "<p>&lt;info@acme-bau.de&gt;, 'x'</p>",
        "<p>(info@acme-bau.de)</p>",
    ],
)
def test_a_word_that_sticks_to_an_address_is_no_part_of_it(html):
    assert addresses(html) == ["info@acme-bau.de"]


@pytest.mark.parametrize(
    "junk",
    [
        "logo@2x.png",
        "5b0e4c9d8e7f4a0b@sentry.io",
        "605a7baede844d278b89dc95ae0a9123@sentry-next.wixpress.com",
        "info@example.com",
        "info@beispiel.de",
        "name@domain.com",
        "tu@correo.com",
        "votre@email.fr",
        "max.mustermann@gmx.de",
        "john.doe@gmail.com",
        "your-email@acme.com",
        "xxx@xxxxx.xxx",
        "xx@xxx.com",
        "user@gmail.com",
        "info@mysite.com",
        "info@gmail.com",
        "{info,sales}@acme-bau.de",
        "twitter.com/@acme-bau.de",
        "noreply@acme-bau.de",
        "hello@nowhere.unlisted",
        "hello@localhost",
        "a@b",
        "@acmebau",
        "https://user@host.com/x",
    ],
)
def test_what_nobody_reads_is_no_address(junk):
    assert addresses(f"<p>{junk}</p>") == []


def test_a_form_shows_examples_not_addresses():
    assert addresses("<input placeholder='anna@acme-bau.de' value='eva@acme-bau.de'><textarea>a@acme-bau.de") == []


@pytest.mark.parametrize(
    "credit",
    [
        "Website by {}",
        "Webdesign: Pixelschmiede, {}",
        "Réalisation du site : Studio Nord {}",
        "Realizzazione sito: {}",
        "Diseño web por Nube - {}",
        "Desenvolvido por Nuvem {}",
        "Projekt i wykonanie: {}",
        "Ontwerp: Studio {}",
        "Powered by Nimbus ({})",
        "Umsetzung: Nimbus GmbH, {}",
        "Design: {}",
        "Tvorba webu: {}",
        "Создание сайта — {}",
        "技术支持\uff1a{}",
        "制作\uff1aNimbus {}",
        "تصميم وبرمجة: Nimbus {}",
        "Thiết kế website: {}",
    ],
)
def test_whoever_made_the_site_is_not_the_organisation(credit):
    html = f"<p>info@acme-bau.de</p><footer>{credit.format('hello@pixelschmiede.com')}</footer>"

    assert addresses(html) == ["info@acme-bau.de"]


def test_a_heading_tells_whose_address_follows():
    html = (
        "<h3>Konzept &amp; Design</h3><p>Pixelschmiede<br>hello@pixelschmiede.com</p><h3>Kontakt</h3><p>a@acme-bau.de"
    )

    assert addresses(html) == ["a@acme-bau.de"]


def test_what_stands_before_a_credit_is_the_organisations():
    html = "<footer>Acme | acme@gmx.de | Site by Nimbus</footer><p>Write to acme2@gmx.de. Website by Nimbus.</p>"

    assert addresses(html) == ["acme@gmx.de", "acme2@gmx.de"]


@pytest.mark.parametrize(
    "text", ["Umsetzung von Bauvorhaben: {}", "<h2>Design</h2><p>Häuser: {}", "Hosting a party? {}"]
)
def test_a_trade_that_is_called_like_a_credit_is_none(text):
    assert addresses(f"<p>{text.format('plan@gmx.de')}</p>") == ["plan@gmx.de"]


def test_an_agency_names_itself():
    html = "<title>Webdesign Pixelschmiede</title><p>Webdesign: hello@pixelschmiede.com</p>"

    assert addresses(html, url="https://pixel.com/") == ["hello@pixelschmiede.com"]


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("info@acme-bau.de", "SERVICE"),
        ("kontakt@gmail.com", "SERVICE"),
        ("praxis.huber@web.de", "SERVICE"),
        ("sales2@other.com", "SERVICE"),
        ("anna.huber@acme-bau.de", "CORPORATE"),
        ("anna@mail.acme-bau.de", "CORPORATE"),
        ("anna@acmebau.com", "CORPORATE"),
        ("anna@hotmail.co.uk", "FREE"),
        ("anna@qq.com", "FREE"),
        ("anna@other.com", "UNKNOWN"),
    ],
)
def test_an_address_has_a_type(address, kind):
    assert only(f"<p>{address}</p>").type == kind


def test_the_context_says_what_stands_around_an_address():
    html = f"<p>{'before ' * 30}Write to info@acme-bau.de today {'after ' * 30}</p>"

    context = only(html).context

    assert "Write to info@acme-bau.de today" in context
    assert len(context) <= 160
    assert context.split()[0] == "before"


def test_an_international_domain_is_kept_as_the_mail_system_writes_it():
    assert addresses("<p>info@müller-bau.de</p>") == ["info@xn--mller-bau-q9a.de"]


def test_a_name_that_loses_its_beginning_is_no_address():
    assert addresses("<p>müller@acme-bau.de, 邮箱huber@acme-bau.de</p>") == ["huber@acme-bau.de"]


def test_notaries_have_their_addresses_at_a_public_suffix_and_nobody_at_co_uk():
    assert addresses("<p>etude.durand.97110@notaires.fr, sales@co.uk</p>") == ["etude.durand.97110@notaires.fr"]


def test_a_webmaster_elsewhere_is_left_out_where_the_organisation_has_an_address():
    webmaster = "<a href='mailto:jan.k@kraft-seiten.de'>Webmaster</a>"

    assert addresses(f"<p>post@acme-holz.de</p>{webmaster}") == ["post@acme-holz.de"]
    assert addresses(webmaster) == ["jan.k@kraft-seiten.de"]
    assert addresses("<p>post@acme-holz.de</p><p>Webmaster:<br>Jan K.<br>jan.k@kraft-seiten.de</p>") == [
        "post@acme-holz.de"
    ]
    assert addresses("<p>post@acme-holz.de Webmaster: Jan K. E-Mail: jan.k@kraft-seiten.de</p>") == [
        "post@acme-holz.de"
    ]
    assert addresses("<p>post@acme-holz.de</p><h3>Webmaster</h3><p>jan.k@kraft-seiten.de</p>") == ["post@acme-holz.de"]


def test_a_webmaster_among_the_people_of_a_club_stays():
    page = "<p>Eva Lang<br>Chair<br>eva@acme-holz.de</p><p>Jan Kraft<br>Webmaster<br>jan@kraft-seiten.de</p>"

    assert addresses(page) == ["eva@acme-holz.de", "jan@kraft-seiten.de"]


def test_an_own_address_under_webmaster_stays():
    page = "<p>post@acme-holz.de</p><p>Webmaster:</p><p>seiten@acme-bau.de</p>"

    assert addresses(page) == ["post@acme-holz.de", "seiten@acme-bau.de"]


def test_the_text_inside_an_image_map_is_read():
    assert addresses("<map name='m'><p>info@acme-bau.com</p></map>") == ["info@acme-bau.com"]
