"""What a workflow may raise; the type says what becomes of the row.

WorkflowError
├── GiveUp        fails now, whatever attempts are left
└── RetryLater    goes back to the queue until the delay is over; burns no attempt

Any other exception is retried with growing delays until the attempts are used up.
"""

from datetime import timedelta


class WorkflowError(Exception):
    """The message is for the person who looks at the row."""


class GiveUp(WorkflowError):
    pass


class RetryLater(WorkflowError):
    def __init__(self, message: str, *, delay: timedelta) -> None:
        super().__init__(message)
        self.delay = delay
