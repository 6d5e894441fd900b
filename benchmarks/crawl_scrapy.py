"""Scrapy crawls the same pages: its processes, run from here."""


class Scrapy:
    def __init__(self, processes: int) -> None:
        self.label = f"Scrapy, {processes}"
