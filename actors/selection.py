"""Which new rows are selected without a person: AUTO_SELECT, as a workflow sees it."""

from typing import Final

STAGES: Final = ("places", "businesses", "sitemaps", "pages")


class AutoSelect(frozenset[str]):
    def curation(self, stage: str) -> str:
        """The curation word for a new row of a stage; the database queues what is Selected."""
        if stage not in STAGES:
            raise ValueError(f"unknown stage {stage!r}; known are {', '.join(STAGES)}")
        return "Selected" if stage in self else "New"
