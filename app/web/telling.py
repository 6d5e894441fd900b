"""What curators are told about what they did."""

from db.people.curating import SELECTED, Changed, Undone


def counted(rows: int, kind: str) -> str:
    """1 place, 2 places."""
    if rows != 1:
        return f"{rows:,} {kind}"
    return f"1 {kind.removesuffix('es') if kind == 'businesses' else kind.removesuffix('s')}"


def told_changed(changed: Changed, kind: str, word: str) -> str:
    if not changed.rows:
        return f"Nothing was changed: there are none, or they are {word} already."
    queued = f", {changed.queued:,} queued" if word == SELECTED else ""
    return f"{counted(changed.rows, kind)} set to {word}{queued}."


def told_undone(undone: Undone, kind: str) -> str:
    """What is not undone is said as well."""
    parts = {
        f"Undone for {counted(undone.rows, kind)}: the word from before {undone.word} is back.": True,
        f"Changed since, and left alone: {undone.changed_since:,}.": undone.changed_since,
        f"Still waiting, and withdrawn from the queue: {undone.withdrawn:,}.": undone.withdrawn,
        f"Started already: {undone.began:,}. What ran has run, and what it found stays.": undone.began,
    }
    return " ".join(part for part, holds in parts.items() if holds)
