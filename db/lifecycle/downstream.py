"""Whether a workflow is held back because too many rows wait for the one that it feeds."""

import time
from typing import Any

from psycopg import Connection

# To know it, waiting rows are counted up to the limit. That may take long, so it is not always being found out.
LARGEST_SHARE = 0.05
WORTH_REMEMBERING_SECONDS = 0.002


class Downstream:
    def __init__(self, question: bytes, workflow: str) -> None:
        self._question = question
        self._workflow = workflow
        self._holds_back = False
        self._ask_at = 0.0

    def holds_back(self, connection: Connection[Any]) -> bool:
        """As it was found when last asked: at once where counting is quick, a moment ago where it is not."""
        began = time.monotonic()
        if began >= self._ask_at:
            row = connection.execute(self._question, {"workflow": self._workflow}).fetchone()
            self._holds_back = row is not None and row[0]
            took = time.monotonic() - began
            self._ask_at = began + (took / LARGEST_SHARE if took > WORTH_REMEMBERING_SECONDS else 0.0)
        return self._holds_back
