"""One row's history, judged entry by entry: who wanted what, who ran it, and what came of it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tests.chaos.deaths import Deaths
from tests.chaos.ledger import Entry
from tests.chaos.promises import Promises
from tests.chaos.verdict import Verdict, Violation

ENGINE = "scrapersky"
WORKER = "scrapersky worker"


@dataclass
class Claim:
    entry: Entry
    request: int | None = None
    """The request that it runs for, once the row was taken."""
    killed_at: datetime | None = None
    lived_on: bool = False


@dataclass
class Request:
    """What the user wanted last, and what came of it."""

    number: int = 0
    is_open: bool = False
    completions: int = 0
    claims: int = 0
    recoveries: int = 0
    before: "Request | None" = None
    """Counts with this one, if the engine could not know that a new one had begun."""


class History:
    def __init__(self, pk: str, entries: Sequence[Entry], promises: Promises, deaths: Deaths, verdict: Verdict) -> None:
        self.pk = pk
        self.promises = promises
        self.deaths = deaths
        self.verdict = verdict
        self.entries = _seen_by_others(entries)
        self.parts: dict[int, list[Entry]] = defaultdict(list)
        for entry in self.entries:
            self.parts[entry.xid].append(entry)
        self.status: str | None = None
        self.request = Request()
        self.open: dict[UUID | None, Claim] = {}
        self.ended: dict[tuple[int, UUID | None], Claim] = {}
        self.left: Claim | None = None
        self.generation: int | None = None
        self.job_lasts = False

    def judge(self, *, is_quiet: bool) -> None:
        for entry in self.entries:
            match entry.kind:
                case "claimed":
                    self._claimed(entry)
                case "ended":
                    self._ended(entry)
                case "inserted" | "status" | "deleted":
                    self._goes_on(entry)
                    if entry.who.startswith(ENGINE):
                        self._changed_by_engine(entry)
                    else:
                        self._changed_by_user(entry)
                case "effect":
                    self._effect(entry)
                case _:
                    pass
        if is_quiet:
            self._at_the_end()

    def _goes_on(self, entry: Entry) -> None:
        """Each change begins where the last one ended; else somebody wrote unseen."""
        if entry.before != self.status:
            self._say("unexpected", f"{self.status} became {entry.before} unseen")
        self.status = entry.after

    def _claimed(self, entry: Entry) -> None:
        self.verdict.claims += 1
        for other in self.open.values():
            self._say("overlapping", f"{entry.worker} claimed it while {other.entry.worker} held a claim")
        if self.left is not None:
            if self.left.lived_on:
                self._say("overlapping", f"{entry.worker} claimed it from {self.left.entry.worker}, which was alive")
            if self.left.killed_at is not None:
                self.verdict.rerun_seconds.append((entry.at - self.left.killed_at).total_seconds())
            self.left = None
        self.open[entry.token] = Claim(entry)
        if not self._taken_in(entry.xid):
            self._say("unexpected", f"{entry.worker} claimed it and did not take the row")

    def _taken_in(self, xid: int) -> bool:
        return any(part.kind == "status" and part.after == self.promises.processing for part in self.parts[xid])

    def _ended(self, entry: Entry) -> None:
        claim = self.open.pop(entry.token, None)
        if claim is None:
            self._say("unexpected", f"a claim of {entry.worker} ended that had not begun")
            return
        self.ended[entry.xid, entry.token] = claim
        self.job_lasts = self.job_lasts and entry.after == "waiting"
        if entry.who == WORKER:
            if self.deaths.is_foreign(entry.worker, entry.session):
                self._say("unexpected", f"the claim of {entry.worker} was ended by another worker")
            return
        self.verdict.recoveries += 1
        if claim.request == self.request.number:
            self.request.recoveries += 1
        claim.lived_on = self.deaths.lived_on(entry.worker)
        claim.killed_at = self.deaths.kill_between(entry.worker, claim.entry.at, entry.at)
        if claim.killed_at is not None:
            self.verdict.given_back_seconds.append((entry.at - claim.killed_at).total_seconds())
        self.left = claim

    def _changed_by_user(self, entry: Entry) -> None:
        words = self.promises
        self.verdict.rows += entry.kind == "inserted"
        if self.left is not None:
            self.left.killed_at = None  # from here on it waits for the user
        wanted = {words.queued: "queue", words.processing: "queue"}.get(entry.after or "", "cancel")
        intent = "delete" if entry.kind == "deleted" else wanted
        says_something = entry.kind == "deleted" or entry.before != entry.after
        if says_something and not self._intended(entry.xid, intent):
            self._say("unexpected", f"a user's change from {entry.before} to {entry.after} that nobody intended")
        if intent != "queue":
            self.request.is_open = False
        elif entry.before != entry.after:
            self.verdict.requests += 1
            before = self.request if self.request.claims else self.request.before
            self.request = Request(self.request.number + 1, is_open=True, before=before)

    def _intended(self, xid: int, what: str) -> bool:
        return any(part.kind == "intent" and part.after == what for part in self.parts[xid])

    def _changed_by_engine(self, entry: Entry) -> None:
        words, change = self.promises, (entry.before, entry.after)
        allowed = {(words.queued, words.processing)}
        allowed |= {(words.processing, word) for word in (words.done, words.queued, words.failed)}
        if change not in allowed:
            self._say("intents_violated", f"the engine's {entry.kind} changed {entry.before} to {entry.after}")
        elif entry.after == words.processing:
            self._taken(entry)
        elif not self.request.is_open:
            self._say("unexpected", f"the engine wrote {entry.after} after nobody wanted it any more")
        elif entry.after == words.done:
            self._completed(entry)
        elif entry.after == words.failed:
            self._failed(entry)

    def _taken(self, entry: Entry) -> None:
        claims = [self.open[part.token] for part in self.parts[entry.xid] if part.token in self.open]
        if not claims:
            self._say("unexpected", "taken without a claim")
        if not self.request.is_open:
            self._say("unexpected", "taken although nobody wanted it")
        for claim in claims:
            self._count_with_earlier(claim.entry)
            claim.request = self.request.number
        self.request.claims += 1

    def _count_with_earlier(self, claimed: Entry) -> None:
        """Queued past the trigger, a row goes on with the generation that it had, and with its attempts so far."""
        before, self.request.before = self.request.before, None
        if before is not None and self.job_lasts and claimed.generation == self.generation:
            self.request.claims += before.claims
            self.request.recoveries += before.recoveries
        self.generation, self.job_lasts = claimed.generation, True

    def _completed(self, entry: Entry) -> None:
        claims = self._ended_in(entry.xid)
        if not claims:
            self._say("unexpected", "completed without the end of a claim")
        if any(claim.request != self.request.number for claim in claims):
            self._say("unexpected", "completed by a run for an earlier request")
        if self._verb(entry) not in self.promises.silent and not self._has_effect(entry.xid):
            self._say("lost", "completed without its result")
        self.verdict.completions += 1
        self.request.completions += 1
        self.request.is_open = False

    def _failed(self, entry: Entry) -> None:
        request, words = self.request, self.promises
        verb = self._verb(entry)
        request.is_open = False
        self.verdict.dead_letters += 1
        if not self._ended_in(entry.xid):
            self._say("unexpected", "failed without the end of a claim")
        lost_often = request.recoveries >= min(words.max_lost, words.max_attempts)
        failed_often = request.claims >= words.max_attempts and verb not in words.innocent
        if not (lost_often or failed_often or verb in words.hopeless):
            counts = f"{request.claims} attempts, {request.recoveries} of them lost"
            self._say("causeless", f"a dead letter ({verb}) after {counts}")

    def _verb(self, entry: Entry) -> str:
        return str(entry.detail.get("action")).partition(" ")[0]

    def _has_effect(self, xid: int) -> bool:
        return any(part.kind == "effect" for part in self.parts[xid])

    def _ended_in(self, xid: int) -> list[Claim]:
        """The claims that the transaction ends, be it before or after the row itself is written."""
        tokens = [part.token for part in self.parts[xid] if part.kind == "ended"]
        found = (self.ended.get((xid, token)) or self.open.get(token) for token in tokens)
        return [claim for claim in found if claim is not None]

    def _effect(self, entry: Entry) -> None:
        """Each result belongs to the completion in whose transaction it was written, and to the run of that claim."""
        parts = self.parts[entry.xid]
        completed = [part for part in parts if part.kind == "status" and part.after == self.promises.done]
        runs = {part.token for part in parts if part.kind == "effect"}
        if entry.after != "insert":
            self._say("duplicated", f"the result of run {entry.token} was written again")
        elif not completed:
            kind = "duplicated" if self.request.completions else "unexpected"
            self._say(kind, f"the result of run {entry.token} was written without a completion")
        elif len(runs) > 1 and entry.token == max(runs, key=str):
            self._say("duplicated", f"{len(runs)} results in one completion")
        elif any(self._is_of_another_run(entry, claim) for claim in self._ended_in(entry.xid)):
            self._say("unexpected", f"the result of run {entry.token} was written after its claim was gone")

    def _is_of_another_run(self, effect: Entry, claim: Claim) -> bool:
        """By the process that ran it, and by the time at which it began, where the workload tells them."""
        pid, began = effect.detail.get("pid"), effect.detail.get("began")
        owner = self.deaths.pid_of(claim.entry.worker)
        if pid is not None and owner is not None and pid != owner:
            return True
        return began is not None and datetime.fromisoformat(began) < claim.entry.at

    def _at_the_end(self) -> None:
        if self.request.is_open:
            self._say("lost", f"request {self.request.number} was never answered")
        for claim in self.open.values():
            self._say("lost", f"the claim of {claim.entry.worker} was never ended")

    def _say(self, kind: str, what: str) -> None:
        getattr(self.verdict, kind).append(Violation(self.pk, what))


def _seen_by_others(entries: Sequence[Entry]) -> list[Entry]:
    """Without the claims that their own transaction gave back; it may have claimed the row again after that."""
    seen: list[Entry] = []
    claims: dict[tuple[int, UUID | None], int] = {}
    for entry in entries:
        begun = claims.pop((entry.xid, entry.token), None) if entry.kind == "ended" else None
        if begun is not None:
            seen = [other for other in seen if other.id != begun]
            continue
        if entry.kind == "claimed":
            claims[entry.xid, entry.token] = entry.id
        seen.append(entry)
    return seen
