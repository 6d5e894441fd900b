"""What the settings say about new rows, as a workflow sees it: which are selected by themselves, how many may be."""

from typing import Final

STAGES: Final = ("places", "businesses", "sitemaps", "pages")


class AutoSelect(frozenset[str]):
    def curation(self, stage: str) -> str:
        """The curation word for a new row of a stage; the database queues what is Selected."""
        if stage not in STAGES:
            raise ValueError(f"unknown stage {stage!r}; known are {', '.join(STAGES)}")
        return "Selected" if stage in self else "New"


class MostSitemaps(int):
    """How many sitemaps a site may have: SCRAPERSKY_SITEMAPS_PER_DOMAIN."""
