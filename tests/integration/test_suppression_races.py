"""A contact that is written while its address is listed does not stay, whoever comes first and whatever they see."""

import threading

import psycopg
import pytest
from psycopg import IsolationLevel
from psycopg.errors import (
    FeatureNotSupported,
    InsufficientPrivilege,
    LockNotAvailable,
    SerializationFailure,
)

from db.models import Contact
from db.results import write_rows
from tests.lifecycle_support import guarded, wait_until

WAITING = "select count(*) from pg_stat_activity where pid = %s and wait_event_type = 'Lock'"
LEVELS = (IsolationLevel.READ_COMMITTED, IsolationLevel.REPEATABLE_READ, IsolationLevel.SERIALIZABLE)
LISTED = {
    "email": "ann@smile.com",
    "phone": "+15125550123",
    "domain": "smile.com",
}
WAYS = {
    "insert": "insert into contacts (domain_id, email, phone_number) values (%(domain)s, %(email)s, %(phone)s)",
    "upsert": "insert into contacts (domain_id, email, phone_number) values (%(domain)s, %(email)s, %(phone)s) "
    "on conflict (domain_id, email) do update set name = 'Ann'",
    "merge": "merge into contacts using (select 1) as one on contacts.email = %(email)s when not matched then "
    "insert (domain_id, email, phone_number) values (%(domain)s, %(email)s, %(phone)s)",
    "correction": "update contacts set email = %(email)s, phone_number = %(phone)s",
}


@pytest.fixture
def domain(db):
    return db.execute("insert into domains (domain) values ('shop.smile.com') returning id").fetchone()[0]


@pytest.fixture
def writer(database):
    with psycopg.connect(database) as connection:
        yield connection


@pytest.fixture
def lister(database):
    """Lists behind the test's back, and is waited for."""
    with psycopg.connect(database, autocommit=True) as connection:
        yield Lister(connection)


@pytest.fixture(params=LEVELS, ids=lambda level: level.name)
def leveled_writer(writer, request):
    writer.isolation_level = request.param
    return writer


class Lister:
    def __init__(self, connection):
        self.connection = connection
        self.error = None

    def begin(self, kind):
        self.thread = threading.Thread(target=self._list, args=[kind])
        self.thread.start()

    def _list(self, kind):
        try:
            self.connection.execute("insert into suppressions (kind, value) values (%s, %s)", [kind, LISTED[kind]])
        except psycopg.Error as error:
            self.error = error

    def is_waiting(self, db):
        return db.execute(WAITING, [self.connection.info.backend_pid]).fetchone() == (1,)

    def end(self):
        self.thread.join()
        if self.error:
            raise self.error


def write(connection, domain, kind, way="insert"):
    email = None if kind == "phone" else LISTED["email"]
    given = {"domain": domain, "email": email, "phone": LISTED["phone"]}
    connection.execute(WAYS[way], given)


def test_a_copy_is_waited_for_too(db, domain, writer, lister):
    with writer.cursor().copy("copy contacts (domain_id, email) from stdin") as copy:
        copy.write_row([domain, LISTED["email"]])
    lister.begin("email")
    wait_until(lambda: lister.is_waiting(db))

    writer.commit()
    lister.end()

    assert contacts(db) == []


def contacts(db):
    return db.execute("select email, phone_number from contacts").fetchall()


@pytest.mark.parametrize("kind", LISTED)
def test_a_listing_waits_for_a_writer_that_came_first_and_deletes_what_it_wrote(
    db, domain, leveled_writer, lister, kind
):
    write(leveled_writer, domain, kind)
    lister.begin(kind)
    wait_until(lambda: lister.is_waiting(db))

    leveled_writer.commit()
    lister.end()

    assert contacts(db) == []


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_write_a_contact_is_waited_for(db, domain, writer, lister, way):
    db.execute("insert into contacts (domain_id, email) values (%s, 'bob@gum.com')", [domain])
    write(writer, domain, "email", way)
    lister.begin("email")
    wait_until(lambda: lister.is_waiting(db))

    writer.commit()
    lister.end()

    assert LISTED["email"] not in [email for email, _ in contacts(db)]


@pytest.mark.parametrize("kind", LISTED)
def test_a_writer_waits_for_a_listing_that_came_first_and_writes_nothing(db, domain, writer, lister, kind):
    writer.execute("insert into suppressions (kind, value) values (%s, %s)", [kind, LISTED[kind]])
    thread = threading.Thread(target=write, args=[lister.connection, domain, kind])
    thread.start()
    wait_until(lambda: lister.is_waiting(db))

    writer.commit()
    thread.join()

    assert contacts(db) == []


@pytest.mark.parametrize("level", LEVELS[1:], ids=lambda level: level.name)
@pytest.mark.parametrize("kind", LISTED)
def test_a_writer_that_looked_before_the_listing_fails_and_can_be_repeated(db, domain, writer, kind, level):
    writer.isolation_level = level
    writer.execute("select 1 from contacts")
    db.execute("insert into suppressions (kind, value) values (%s, %s)", [kind, LISTED[kind]])

    with pytest.raises(SerializationFailure):
        write(writer, domain, kind)
    writer.rollback()
    write(writer, domain, kind)
    writer.commit()

    assert contacts(db) == []


@pytest.mark.parametrize("level", LEVELS[1:], ids=lambda level: level.name)
def test_a_list_is_not_written_by_a_transaction_that_may_not_see_every_contact(db, writer, level):
    writer.isolation_level = level

    with pytest.raises(FeatureNotSupported, match="may not see every contact"):
        writer.execute("insert into suppressions (kind, value) values ('email', 'ann@smile.com')")


def test_two_writers_do_not_wait_for_each_other(db, domain, writer):
    write(writer, domain, "email")

    db.execute("set lock_timeout = '1s'")
    db.execute("insert into contacts (domain_id, email) values (%s, 'bob@gum.com')", [domain])

    assert contacts(db) == [("bob@gum.com", None)]


def test_the_engine_gives_way_to_an_open_listing_at_once(db, domain, writer):
    writer.execute("insert into suppressions (kind, value) values ('email', 'eve@gum.com')")

    with pytest.raises(LockNotAvailable), guarded(db):
        write_rows(db, [Contact(domain_id=domain, email="ann@smile.com")])
    writer.commit()
    write_rows(db, [Contact(domain_id=domain, email="ann@smile.com")])

    assert contacts(db) == [("ann@smile.com", None)]


def test_a_listing_that_meets_a_row_in_use_gives_way_and_says_so(db, domain, writer):
    write(db, domain, "email")
    writer.execute("update contacts set name = 'Ann' where email = 'ann@smile.com'")

    with pytest.raises(LockNotAvailable, match="nothing was listed"):
        db.execute("insert into suppressions (kind, value) values ('email', 'ann@smile.com')")

    assert db.execute("select count(*) from suppressions").fetchone() == (0,)


def test_a_user_who_would_wait_for_the_listing_for_ever_goes_on_and_the_listing_gives_way(db, domain, writer, lister):
    db.execute("update domains set phone_numbers = '{+15125550123}'")
    writer.execute("update domains set notes = 'mine'")
    lister.begin("phone")
    wait_until(lambda: lister.is_waiting(db))

    write(writer, domain, "email")
    writer.commit()

    with pytest.raises(LockNotAvailable, match="nothing was listed"):
        lister.end()
    assert contacts(db) == [("ann@smile.com", "+15125550123")]


def test_a_number_is_listed_while_one_who_has_nothing_else_is_being_written(db, domain, writer, lister):
    write(db, domain, "email")
    writer.execute(
        "insert into contacts (domain_id, phone_number, fax_number) values (%s, %s, %s)",
        [domain, LISTED["phone"], LISTED["phone"]],
    )
    lister.begin("phone")
    wait_until(lambda: lister.is_waiting(db))

    writer.commit()
    lister.end()

    assert contacts(db) == [("ann@smile.com", None)]


def test_an_analyst_can_not_take_the_lock(db, database):
    db.execute("create role test_locker login in role scrapersky_analyst")
    try:
        with psycopg.connect(database, user="test_locker") as analyst, pytest.raises(InsufficientPrivilege):
            analyst.execute("lock table engine.suppression_lock in access share mode")
    finally:
        db.execute("drop role test_locker")


def test_what_home_pages_and_places_name_is_waited_for_too(db, writer, lister):
    writer.execute("insert into domains (domain, phone_numbers) values ('gum.com', '{+15125550123,+15125550199}')")
    writer.execute("insert into local_businesses (business_name, phone) values ('Gum', '+1 512-555-0123')")
    lister.begin("phone")
    wait_until(lambda: lister.is_waiting(db))

    writer.commit()
    lister.end()

    assert db.execute("select phone_numbers from domains").fetchall() == [(["+15125550199"],)]
    assert db.execute("select phone from local_businesses").fetchall() == [(None,)]
