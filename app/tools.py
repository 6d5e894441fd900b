"""What a workflow's function is given beside its row: the web, the Places API, what is selected without a person."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Self

from actors._workflow import Workflow
from actors.fetch.places import NO_KEY, Places
from actors.fetch.web import Patience, Web, WebClient, WebOptions
from actors.sandbox.limits import Limits
from actors.sandbox.pool import ParserPool, parsers_per_process
from actors.sandbox.reader import Reader
from actors.selection import AutoSelect, MostSitemaps
from app.config import Settings
from app.outside import FetchCounts, count_calls
from app.parsing import ParserWatch
from app.robots_store import RobotsFiles
from db.connections import Pool
from db.declaration import DeclarationError


@dataclass(frozen=True)
class Lent:
    """The tools of one run, by the names of the function's parameters."""

    tools: Mapping[str, Any]
    reader: Reader | None = None

    @property
    def waited(self) -> float:
        """For how many seconds the run has waited for a parser process."""
        return self.reader.waited if self.reader else 0.0

    @property
    def spare(self) -> float:
        """For how many seconds the host that was visited wants to be left alone."""
        return max((tool.spare for tool in self.tools.values() if isinstance(tool, Web)), default=0.0)


NOTHING = nullcontext(Lent({}))


def web_options(settings: Settings) -> WebOptions:
    return WebOptions(
        user_agent=settings.user_agent,
        pause=settings.crawl_pause,
        proxy=settings.proxy or None,
        ca_file=settings.ca_file,
        steps_aside=True,
        patience=Patience(request=settings.fetch.total_seconds(), stream=4 * settings.fetch.total_seconds()),
    )


@contextmanager
def web_client(settings: Settings, pool: Pool) -> Iterator[WebClient]:
    with RobotsFiles(pool) as robots:
        client = WebClient(web_options(settings), robots)
        yield client
        client.close()


def parser_pool(settings: Settings) -> ParserPool:
    limits = Limits(seconds=settings.parse.total_seconds(), memory_mb=settings.parse_memory)
    return ParserPool(limits, parsers_per_process(settings.processes), ParserWatch())


class Toolbox:
    """One per process."""

    def __init__(self, settings: Settings, client: WebClient, parsers: ParserPool) -> None:
        self.settings = settings
        self.client = client
        self.parsers = parsers
        self._makers: dict[type, Callable[[Reader, ExitStack, str], object]] = {
            Web: self._web,
            Reader: lambda reader, *_: reader,
            Places: self._places,
            AutoSelect: lambda *_: settings.auto_select,
            MostSitemaps: lambda *_: MostSitemaps(settings.sitemaps_per_domain),
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.parsers.close()

    def check(self, workflow: Workflow) -> None:
        """A tool that nobody can lend is a mistake in the workflow."""
        for name, kind in workflow.tools.items():
            if kind not in self._makers:
                known = ", ".join(sorted(maker.__name__ for maker in self._makers))
                raise DeclarationError(f"{workflow.name}: there is no tool {name}: {kind.__name__}; there are {known}")

    def missing(self, workflow: Workflow) -> str | None:
        """Why no row of the workflow can succeed with these settings."""
        lacks_key = Places in workflow.tools.values() and not self.settings.places_key.get_secret_value()
        return NO_KEY if lacks_key else None

    def lend(self, workflow: Workflow) -> AbstractContextManager[Lent]:
        """For one run. A row that needs no tool may be done in a few microseconds: nothing is made for it."""
        return self._make(workflow) if workflow.tools else NOTHING

    @contextmanager
    def _make(self, workflow: Workflow) -> Iterator[Lent]:
        with ExitStack() as stack:
            reader = Reader(self.parsers)
            stack.callback(reader.close)  # after the run, where no time limit interrupts it
            makers = {name: self._makers[kind] for name, kind in workflow.tools.items()}
            yield Lent({name: make(reader, stack, workflow.name) for name, make in makers.items()}, reader)

    def _web(self, reader: Reader, stack: ExitStack, workflow: str) -> Web:
        web = self.client.open(reader, FetchCounts(workflow))
        stack.callback(web.close)
        return web

    def _places(self, *_: object) -> Places:
        return Places(count_calls(self.client.ask), self.settings.places_key.get_secret_value() or None)
