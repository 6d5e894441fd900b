"""The doctor as a role that may see nothing: what it can not examine is a failure, and it names the role it takes."""

import pytest

from app.doctor.examination import examine, worst
from app.doctor.patient import Patient
from tests.doctor_support import IMPATIENT, Doctor


@pytest.fixture
def stranger(db, database):
    """A role that may log in and see nothing."""
    role = f"doctor_stranger_{db.info.backend_pid}"
    db.execute(f"create role {role} login")
    yield role
    db.execute(f"drop owned by {role}; drop role {role}")


def test_what_a_role_may_not_look_at_is_one_failure_that_names_the_role_it_takes(db, database, stranger):
    doctor = Doctor(database.replace("//scrapersky@", f"//{stranger}@"))

    found = examine(Patient(doctor.settings, doctor.url, IMPATIENT))

    (finding,) = [one.finding for one in found if "permission denied" in one.finding.seen]
    assert (worst(found), finding.verdict) == ("fail", "fail")
    assert finding.seen.startswith(f"{stranger} may not look at: business tables, registry, ")
    assert [repair.text for repair in finding.repairs] == [
        "let DATABASE_URL name scrapersky, the role that migrated this database"
    ]


def test_a_role_that_may_not_look_is_told_so_and_stops_nothing(database, stranger):
    doctor = Doctor(database.replace("scrapersky@", f"{stranger}@"))

    workers, disk_space = doctor.finding("workers"), doctor.finding("disk")

    assert workers.verdict == "fail"
    assert "permission denied for schema engine" in workers.seen
    assert disk_space.verdict == "ok"
    assert "unknown from here" in disk_space.seen
    assert doctor.verdicts("transactions") == ["ok"]
