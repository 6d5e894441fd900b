"""Every reason why a row stands where it stands, brought about: for those who look at what is then said of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from db.outcomes import Again, Failed
from tests.lifecycle_support import wait_until

if TYPE_CHECKING:
    from tests.why_support import Desk  # pytest wants to be the first that imports it

SITUATIONS: "dict[str, Callable[[Desk, str], object]]" = {
    "ready": lambda _desk, _page: None,
    "paused": lambda desk, _page: desk.set("page_curation", paused=True, paused_reason="<b>lunch</b>"),
    "blocked": lambda desk, _page: desk.set("page_curation", blocked_reason="the key is wrong"),
    "in_flight_limit": lambda desk, _page: desk.set("page_curation", max_in_flight=0),
    "day_budget": lambda desk, _page: desk.set("page_curation", per_day=0),
    "minute_budget": lambda desk, _page: desk.set("page_curation", per_minute=0),
    "downstream_limit": lambda desk, _page: _hold_back(desk),
    "turn_taken": lambda desk, _page: _take_turn(desk),
    "no_worker": lambda desk, _page: desk.db.execute("delete from engine.worker"),
    "no_listener": lambda desk, _page: desk.db.execute("delete from engine.listener"),
    "deaf": lambda desk, _page: desk.db.execute("update engine.listener set hears = false"),
    "not_due": lambda desk, _page: desk.run("page_curation", Again("<i>busy</i>", 600.0)),
    "spared": lambda desk, _page: desk.db.execute(
        "insert into engine.pace (key, next_start) select key, now() + interval '10 minutes' from engine.job"
    ),
    "running": lambda desk, _page: desk.claim("page_curation"),
    "runs_again": lambda desk, page: (desk.claim("page_curation"), _write(desk, page, "Queued")),
    "worker_silent": lambda desk, _page: (
        desk.claim("page_curation"),
        desk.db.execute("update engine.worker set last_beat = now() - interval '2 minutes', beat = '5 s'"),
    ),
    "result_waits": lambda desk, _page: (
        desk.claim("page_curation"),
        desk.db.execute("update engine.worker set late = (select array_agg(token) from engine.job)"),
    ),
    "overdue": lambda desk, _page: (
        desk.claim("page_curation"),
        desk.db.execute("update engine.job set started_at = now() - interval '1 day'"),
    ),
    "unwritable": lambda desk, page: (
        desk.db.execute(f"alter table pages add check (id <> '{page}') not valid".encode()),
        desk.claim("page_curation", row_by_row=True),
    ),
    "worker_gone": lambda desk, _page: (desk.claim("page_curation"), desk.db.execute("delete from engine.worker")),
    "orphaned": lambda desk, page: (_write_past_the_triggers(desk, page, "Processing"), _forget_jobs(desk)),
    "failed": lambda desk, _page: desk.run("page_curation", Failed("<script>no such page</script>")),
    "done": lambda desk, _page: desk.run("page_curation"),
    "never_queued": lambda desk, page: _write(desk, page, None),
    "unknown_word": lambda desk, page: _write(desk, page, "Filtered"),
    "no_job": lambda desk, _page: _forget_jobs(desk),
    "locked": lambda desk, page: _hold(desk, page, "select from pages where id = %s for update"),
    "uncommitted": lambda desk, page: (
        _write(desk, page, None),
        _hold(desk, page, "update pages set title = 'new' where id = %s"),
    ),
}


def bring_about(desk: "Desk", code: str) -> tuple[str, str]:
    """The table and the id of a row of which this is to be said."""
    page = desk.page()
    SITUATIONS[code](desk, page)
    return ("sitemap_files", desk.sitemap()) if code == "downstream_limit" else ("pages", page)


def _hold_back(desk: "Desk") -> None:
    desk.set("sitemap_import", max_downstream=1)


def _take_turn(desk: "Desk") -> None:
    """For longer than a claim takes."""
    other = desk.connect(application_name="psql")
    desk.db.execute("insert into engine.pace (key, next_start) select key, now() from engine.job where key is not null")
    other.execute("begin")
    other.execute("select from engine.pace for update")
    old = (
        "select count(*) from pg_stat_activity where pid = %s and clock_timestamp() - xact_start > interval '1 second'"
    )
    wait_until(lambda: desk.db.execute(old, [other.info.backend_pid]).fetchone() == (1,))


def _write(desk: "Desk", page: str, word: str | None) -> None:
    desk.db.execute("update pages set page_processing_status = %s where id = %s", [word, page])


def _write_past_the_triggers(desk: "Desk", page: str, word: str) -> None:
    with desk.db.transaction():
        desk.db.execute("set local session_replication_role = replica")
        _write(desk, page, word)


def _forget_jobs(desk: "Desk") -> None:
    desk.db.execute("delete from engine.job")


def _hold(desk: "Desk", page: str, statement: str) -> None:
    """Somebody locks the row, until the desk is closed."""
    other = desk.connect(application_name="a curator")
    other.execute("begin")
    other.execute(statement.encode(), [page])
