"""How well the parsers do on a corpus of real pages, sitemaps, robots.txt files, suffixes and URLs.

The corpus is a directory with some of the folders html, sitemaps, robots, psl and url; a folder that is not there is
left out of the result. Everything is computed through the functions that the workflows use. One JSON object is printed.
"""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Run as a file, only this directory is on the path.
sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.evaluate_html import evaluate_html
from benchmarks.evaluate_sitemaps import evaluate_sitemaps
from benchmarks.evaluate_vectors import evaluate_psl, evaluate_robots, evaluate_url

PARTS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "html": evaluate_html,
    "sitemaps": evaluate_sitemaps,
    "robots": evaluate_robots,
    "psl": evaluate_psl,
    "url": evaluate_url,
}
NOT_USABLE = 2


def evaluate(corpus: Path) -> dict[str, Any]:
    return {name: part(corpus / name) for name, part in PARTS.items() if (corpus / name).is_dir()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="directory with some of the folders " + ", ".join(PARTS))
    corpus = parser.parse_args().corpus
    if not corpus.is_dir():
        refuse(f"{corpus}: no such directory; give the corpus, a directory with some of {', '.join(PARTS)}")
    try:
        result = evaluate(corpus)
    except (OSError, ValueError, LookupError, TypeError) as error:
        refuse(f"{corpus}: not laid out as expected: {type(error).__name__}: {error}")
    if not result:
        refuse(f"{corpus}: has none of the folders {', '.join(PARTS)}")
    print(json.dumps(result, indent=1, ensure_ascii=False))


def refuse(message: str) -> None:
    print(message, file=sys.stderr)
    sys.exit(NOT_USABLE)


if __name__ == "__main__":
    main()
