"""`make bench`: every benchmark in interleaved rounds on servers of its own, into docs/benchmarks.md.

    python -m benchmarks.run                            # what `make bench` runs
    python -m benchmarks.run --only rows,trigger        # a part of it
    python -m benchmarks.run --only size,sustained      # the long ones, which are run only when they are named

Machines differ and are noisy: read the ratios before the figures, and the spread of the rounds beside both.
"""

import argparse
import sys
from collections.abc import Callable
from dataclasses import fields

from rich.console import Console
from rich.table import Table

from benchmarks import crash, crawl_section, growth, machine, pickup, report, rows, startup, trigger
from benchmarks.section import Options, Section

SECTIONS: dict[str, Callable[[Options, Callable[[str], None]], Section]] = {
    "rows": rows.measure,
    "pickup": pickup.measure,
    "trigger": trigger.measure,
    "startup": startup.measure,
    "crawl": crawl_section.measure,
    "crash": crash.measure,
    "size": growth.size,
    "sustained": growth.sustained,
    "long-crawl": crawl_section.long_crawl,
}
LONG = ("size", "sustained", "long-crawl")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help=f"some of {', '.join(SECTIONS)}")
    parser.add_argument("--dry", action="store_true", help="print, and leave docs/benchmarks.md as it is")
    for field in fields(Options):
        parser.add_argument(f"--{field.name}", type=type(field.default), default=field.default)
    return parser.parse_args()


def main() -> None:
    given = arguments()
    names = given.only.split(",") if given.only else [name for name in SECTIONS if name not in LONG]
    if unknown := set(names) - set(SECTIONS):
        sys.exit(f"{', '.join(sorted(unknown))}: no such part; there are {', '.join(SECTIONS)}")
    options = Options(**{field.name: getattr(given, field.name) for field in fields(Options)})
    console, progress = Console(), Console(stderr=True, style="dim")
    for name in names:
        where = machine.describe()
        section = SECTIONS[name](options, progress.print)
        show(console, section)
        if not given.dry:
            report.write(name, section, where)


def show(console: Console, section: Section) -> None:
    table = Table(*section.head, title=section.title, title_justify="left")
    for row in section.rows:
        table.add_row(*row)
    console.print(table)
    for note in section.notes:
        console.print(note)


if __name__ == "__main__":
    main()
