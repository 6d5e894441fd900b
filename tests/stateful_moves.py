"""The three rows of the stateful test, and what can be done to them."""

from uuid import UUID

from hypothesis.strategies import (
    SearchStrategy,
    booleans,
    fixed_dictionaries,
    integers,
    just,
    lists,
    none,
    one_of,
    sampled_from,
    tuples,
)

from db.outcomes import Again, Blocked, Failed, Found, Outcome, Released
from tests.samples import Finding

PKS = [str(UUID(int=number)) for number in (1, 2, 3)]
HOSTS = ["shared.example", "shared.example", None]
KINDS = ["found", "nothing", "spoilt", "again", "later", "hopeless", "released", "blocked"]
WORDS = ["Queued", "Queued", "Queued", "Skipped", "Processing", "Done", "Failed", None]

row = sampled_from(PKS)
word = sampled_from(WORDS)
kinds = lists(sampled_from(KINDS), min_size=3, max_size=3)
write = tuples(word, booleans())
limit = none() | integers(0, 2)
rarely = sampled_from([False, False, False, True])

# What can be done, and with what.
MOVES: dict[str, dict[str, SearchStrategy[object]]] = {
    "a_user_writes_or_deletes": {"pk": row, "status": word, "seen": booleans(), "deletes": rarely},
    "a_user_writes_and_does_not_commit": {"pk": row, "status": word},
    "that_user_makes_up_their_mind": {"kept": booleans()},
    "an_operator_acts": {"max_in_flight": limit, "per_day": limit, "paused": rarely},
    "time_passes": {"tired": rarely},
    "a_worker_is_found_dead": {"which": integers(0, 1)},
    "claim": {"which": integers(0, 1), "size": integers(1, 3), "suspects": sampled_from([True, True, False])},
    "record": {"which": integers(0, 1), "kinds": kinds, "twice": rarely},
    "the_sweeper_ends_lost_claims": {"stopped": rarely},
    "the_sweeper_reads_the_tables": {},
    "work_while_somebody_acts": {
        "pk": row,
        "meanwhile": lists(write, max_size=2),
        "deaths": integers(0, 2),
        "kinds": kinds,
        "afterwards": write,
    },
}
move = one_of([tuples(just(name), fixed_dictionaries(arguments)) for name, arguments in MOVES.items()])


def outcome(kind: str, effect: str) -> Outcome:
    outcomes: dict[str, Outcome] = {
        "found": Found(rows=[Finding(name=effect)]),
        "nothing": Found(reason="nothing to find"),
        "spoilt": Found(rows=[Finding(name=effect, worth="not a number")]),
        "again": Again("no answer", 3600.0),
        "later": Again("not now", 3600.0, counts=False),
        "hopeless": Failed("it is hopeless"),
        "blocked": Blocked("no key", None),
        "released": Released(),
    }
    return outcomes[kind]
