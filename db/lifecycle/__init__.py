"""Claim, record, release, recover: the only code that writes a status."""

from db.lifecycle.claim import Batch, Claimed, Claimer
from db.lifecycle.decide import Ended, Ending
from db.lifecycle.record import Recorder
from db.lifecycle.recover import Recovery, Swept

__all__ = ["Batch", "Claimed", "Claimer", "Ended", "Ending", "Recorder", "Recovery", "Swept"]
