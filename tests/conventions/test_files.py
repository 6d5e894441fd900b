"""Small files with honest names, and nothing put off."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
CODE = ("app", "actors", "db", "sql", "tests", "benchmarks")
LONGEST = 300

WRITTEN_BY_US = {".py", ".sql", ".md", ".toml", ".yml", ".yaml", ".mako", ".html", ".css", ".js"}
# In two parts, so that this file does not accuse itself.
PUT_OFF = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME)\b")
VAGUE = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers"}


def test_no_python_or_sql_file_is_longer_than_three_hundred_lines():
    lengths = {path: len(lines(path)) for folder in CODE for path in files(ROOT / folder) if is_code(path)}

    too_long = [f"{path.relative_to(ROOT)} has {length} lines" for path, length in lengths.items() if length > LONGEST]

    assert len(lengths) > 50
    assert not too_long, f"at most {LONGEST} lines a file, so split: " + "; ".join(sorted(too_long))


def test_nothing_is_put_off():
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in our_files()
        for number, line in enumerate(lines(path), start=1)
        if PUT_OFF.search(line)
    ]

    assert not found, "do it now, or write it down where the team plans:\n" + "\n".join(found)


def test_no_file_or_folder_has_a_name_that_says_nothing():
    vague = [str(path.relative_to(ROOT)) for path in our_files() if VAGUE & {path.stem, *path.relative_to(ROOT).parts}]

    assert not vague, "name it after what it does: " + ", ".join(vague)


def our_files() -> Iterator[Path]:
    """Everything that people wrote: the code, the documents and the files at the top."""
    for folder in (*CODE, "docs"):
        yield from (path for path in files(ROOT / folder) if path.suffix in WRITTEN_BY_US)
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.name != "uv.lock")


def files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def is_code(path: Path) -> bool:
    return path.suffix in {".py", ".sql"}


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines()
