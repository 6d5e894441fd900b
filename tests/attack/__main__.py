"""Attacks the parsers with every shape at every size; prints the figures and writes them into a document."""

import argparse
import sys
from pathlib import Path

from tests.attack.growth import ALL, Verdict, judge
from tests.attack.measure import ROOT, runner
from tests.attack.report import table, write
from tests.attack.shapes import SHAPES


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="shapes with this in their name or family")
    parser.add_argument("--largest", type=int, default=max(ALL) // 1000, help="the largest size in kB")
    parser.add_argument("--document", type=Path, default=ROOT / "docs" / "reliability.md")
    options = parser.parse_args()
    chosen = [shape for shape in SHAPES if options.only in shape.name or options.only in shape.family]
    if not chosen:
        parser.error(f"--only: no shape has {options.only!r} in its name or family")
    sizes = [size for size in ALL if size <= options.largest * 1000]
    verdicts: list[Verdict] = []
    with runner() as measure:
        for shape in chosen:
            verdicts.append(judge(shape, measure, sizes))
            for problem in verdicts[-1].problems:
                sys.stderr.write(f"{shape.family}: {shape.name}: {problem}\n")
    sys.stdout.write(table(verdicts))
    is_whole = not options.only and max(sizes) == max(ALL)
    if is_whole:
        write(verdicts, options.document)
    sys.exit(any(verdict.problems for verdict in verdicts))


if __name__ == "__main__":
    main()
