"""What a workflow may raise; the type says what becomes of the row.

WorkflowError
├── GiveUp             fails now, whatever attempts are left
├── RetryLater         goes back to the queue until the delay is over; burns no attempt
├── HostResting        goes back to the queue until the host may be asked again; burns no attempt, and is no error
├── PauseWorkflow      goes back to the queue, and the workflow stops until the reason is gone; burns no attempt
└── FetchError         a fetch went wrong; `kind` is a short word for counting, `url` what was asked for
    ├── Unreachable    no connection, no TLS, cut off in the middle        retried
    ├── TooSlow        the whole took longer than its deadline             retried
    ├── ServerFault    the server says that it is at fault: 5xx            retried
    ├── Busy           asks us to come back later: 429, 503                retried, not before the delay it asks for
    ├── Denied         robots.txt, a forbidden address, 401, 403           GiveUp
    ├── NotThere       no such name, 404, 410, other 4xx                   GiveUp
    └── Unusable       too large, not decodable, endless redirects, bad certificate, wrong kind of content    GiveUp

Any other exception is retried with growing delays until the attempts are used up.
"""

from datetime import datetime, timedelta


class WorkflowError(Exception):
    """The message is for the person who looks at the row."""


class GiveUp(WorkflowError):
    pass


class RetryLater(WorkflowError):
    def __init__(self, message: str, *, delay: timedelta) -> None:
        super().__init__(message)
        self.delay = delay


class HostResting(WorkflowError):
    """The host was asked for its robots.txt a moment ago, which is kept: the row comes back instead of waiting here."""

    def __init__(self, host: str, *, seconds: float) -> None:
        super().__init__(f"{host} was asked for its robots.txt; the page comes after the pause")
        self.seconds = seconds


class PauseWorkflow(WorkflowError):
    """Without `until`, a person must remove the cause: a new start of the workers, or of the workflow, tries again."""

    def __init__(self, message: str, *, until: datetime | None = None) -> None:
        super().__init__(message)
        self.until = until


class FetchError(WorkflowError):
    def __init__(self, message: str, *, kind: str, url: str, status: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.url = url
        self.status = status


class Unreachable(FetchError):
    pass


class TooSlow(FetchError):
    pass


class ServerFault(FetchError):
    pass


class Busy(FetchError):
    """Counts as an attempt: a host that says so for ever must not keep its row for ever."""

    def __init__(self, message: str, *, kind: str, url: str, delay: timedelta, status: int | None = None) -> None:
        super().__init__(message, kind=kind, url=url, status=status)
        self.delay = delay


class Denied(FetchError, GiveUp):
    pass


class NotThere(FetchError, GiveUp):
    pass


class Unusable(FetchError, GiveUp):
    pass
