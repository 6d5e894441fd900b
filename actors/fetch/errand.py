"""What is being fetched, until when: known to every layer, down to the socket."""

from dataclasses import dataclass

from actors.fetch.deadline import Deadline


@dataclass(slots=True)
class Errand:
    url: str
    """What is asked for right now, for messages."""

    deadline: Deadline
    most: int
    """Bytes, decoded, that the answer may have."""

    steps_aside: bool = False
    """Whether a pause that the host is owed ends the run, because nothing is lost by coming back."""
