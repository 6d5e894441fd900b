"""What must be true of three rows, whatever people, workers and the sweeper do to them: a model without a database."""

from dataclasses import dataclass, field
from uuid import UUID

MAX_ATTEMPTS = 2
MAX_LOST = 2
UNSTORED = {"stale", "locked"}


@dataclass
class Row:
    """`status` is what was committed; attempts and deaths are those since the last submission, at most."""

    host: str | None
    there: bool = True
    status: str | None = None
    submissions: int = 0
    attempts: int = 0
    deaths: int = 0

    def forget(self) -> None:
        self.attempts = self.deaths = 0


@dataclass
class Claim:
    pk: str
    token: UUID
    worker: UUID
    attempt: int
    lost: int
    submissions: int
    """Of the row, when it was claimed: a later one makes the run void."""


@dataclass
class Limits:
    paused: bool = False
    blocked: bool = False
    max_in_flight: int | None = None
    per_day: int | None = None
    begun_today: dict[object, int] = field(default_factory=dict)
    resting: set[str] = field(default_factory=set)


@dataclass
class Model:
    rows: dict[str, Row]
    claims: dict[str, Claim] = field(default_factory=dict)
    living: list[UUID] = field(default_factory=list)
    held: set[str] = field(default_factory=set)
    effects: set[str] = field(default_factory=set)
    limits: Limits = field(default_factory=Limits)

    def statuses(self) -> dict[str, str | None]:
        return {pk: row.status for pk, row in self.rows.items() if row.there}

    def tokens(self) -> dict[str, UUID]:
        return {pk: claim.token for pk, claim in self.claims.items()}

    def user_writes(self, pk: str, word: str | None, *, seen: bool) -> None:
        """Seen: by the trigger."""
        row = self.rows[pk]
        if word == "Queued" and row.status != "Queued" and seen:
            row.submissions += 1
            row.forget()
        row.status = word

    def user_deletes(self, pk: str) -> None:
        self.rows[pk].there, self.rows[pk].status = False, None

    def user_inserts(self, pk: str, word: str | None) -> None:
        self.rows[pk].there = True
        self.user_writes(pk, word, seen=True)

    def begin(self, new: list[Claim], *, suspects: bool, day: object) -> None:
        """Whether all these rows may run now, beside each other and beside those that run already."""
        limits = self.limits
        assert not new or not (limits.paused or limits.blocked), "a stopped workflow began a row"
        if new and limits.max_in_flight is not None:
            assert len(self.claims) + len(new) <= limits.max_in_flight, "more rows run than may"
        if new and limits.per_day is not None:
            limits.begun_today[day] = limits.begun_today.get(day, 0) + len(new)
            assert limits.begun_today[day] <= limits.per_day, "the budget is overdrawn"
        assert len(new) == 1 or not any(claim.lost for claim in new), "a suspect does not run alone"
        for claim in new:
            self._begin(claim, suspects=suspects)

    def _begin(self, claim: Claim, *, suspects: bool) -> None:
        row = self.rows[claim.pk]
        assert claim.pk not in self.claims, "two claims of one row are open"
        assert row.there, "a deleted row was claimed"
        assert row.status == "Queued", f"a row was claimed that nobody wants: {row.status}"
        assert claim.pk not in self.held, "a row was claimed that a user holds"
        assert claim.worker in self.living, "a dead worker was given a row"
        assert suspects or not claim.lost, "a suspect was claimed by somebody who wants none"
        assert 1 <= claim.attempt <= row.attempts + 1, f"attempt {claim.attempt} after {row.attempts}"
        assert 0 <= claim.lost <= row.deaths, f"{claim.lost} lost after {row.deaths}"
        if row.host is not None:
            running = {self.rows[pk].host for pk in self.claims}
            assert row.host not in running, "two rows of a host run at once"
            assert row.host not in self.limits.resting, "a host that rests was visited"
        self.claims[claim.pk] = claim
        row.status = "Processing"

    def end(self, claim: Claim, kind: str, effect: str | None = None) -> str:
        """The verdict that the engine must come to; what it must have written is in the model then."""
        if self.claims.get(claim.pk) is not claim:
            return "stale"
        if claim.pk in self.held:
            return "locked"
        del self.claims[claim.pk]
        self.limits.blocked = self.limits.blocked or kind == "blocked"
        row = self.rows[claim.pk]
        void = claim.submissions != row.submissions
        if not row.there:
            row.forget()
            return "deleted"
        # The sweeper takes the job as it finds it: it did not see what was asked when the lost run began.
        if row.status == "Queued" or (void and kind not in {"lost", "stopped"}):
            row.attempts += not void
            return "superseded"
        if row.status != "Processing":
            row.forget()
            return "cancelled"
        attempt, deaths = (0, 0) if void else (claim.attempt, claim.lost)
        return self._judge(row, kind, attempt, deaths, effect)

    def _judge(self, row: Row, kind: str, attempt: int, deaths: int, effect: str | None) -> str:
        match kind:
            case "found" | "nothing":
                row.status = "Done"
                row.forget()
                self.effects |= {effect} if effect else set()
                return "completed"
            case "released" | "blocked" | "stopped":
                row.status = "Queued"
                return "released"
            case "later":
                row.status = "Queued"
                return "retried"
        row.attempts += 1
        row.deaths += kind == "lost"
        poisonous = kind == "lost" and deaths + 1 >= MAX_LOST
        if kind == "hopeless" or poisonous or attempt >= MAX_ATTEMPTS:
            row.status = "Failed"
            row.forget()
            return "failed"
        row.status = "Queued"
        return "retried"

    def lost_claims(self) -> list[Claim]:
        return [claim for claim in self.claims.values() if claim.worker not in self.living]

    def adopt_orphans(self) -> int:
        """Rows in Processing that nobody runs go back to the queue."""
        orphans = [
            row
            for pk, row in self.rows.items()
            if row.there and row.status == "Processing" and pk not in self.claims and pk not in self.held
        ]
        for row in orphans:
            row.status = "Queued"
        return len(orphans)
