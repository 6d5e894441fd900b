"""A workflow is one file, one line in the registry and one row in the README; what is forgotten is printed here."""

import inspect
import re
from pathlib import Path

import pytest

from actors.names import TABLES
from actors.registry import WORKFLOWS

ROOT = Path(__file__).parents[2]
ALL_WORKFLOWS = pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda workflow: workflow.name)


def test_every_file_in_actors_is_registered_under_its_stem():
    forgotten = advice(ROOT / "actors", {workflow.name for workflow in WORKFLOWS})

    assert not forgotten, forgotten


def test_a_forgotten_file_is_answered_with_the_line_to_paste(tmp_path):
    for stem in ("__init__", "_workflow", "errors", "names", "registry", "deep_scan", "page_curation"):
        (tmp_path / f"{stem}.py").touch()

    assert advice(tmp_path, {"page_curation"}) == (
        "actors/deep_scan.py is not registered. Paste into actors/names.py, where it belongs on a lead's way, "
        "with the name of its table:\n\n"
        '    "deep_scan": "…",\n'
    )


@ALL_WORKFLOWS
def test_a_workflow_is_called_after_its_file_and_its_variable(workflow):
    module = inspect.getmodule(workflow.function)

    assert module.__name__ == f"actors.{workflow.name}"
    assert getattr(module, workflow.name) is workflow


@ALL_WORKFLOWS
def test_the_table_that_commands_know_a_workflow_by_is_its_own(workflow):
    table = workflow.source.name

    assert TABLES[workflow.name] == table, f'actors/names.py: say "{workflow.name}": "{table}"'


@ALL_WORKFLOWS
def test_a_workflow_says_what_goes_in_and_what_comes_out(workflow):
    words = [line.split(maxsplit=1) for line in (inspect.getmodule(workflow.function).__doc__ or "").splitlines()]

    told = {line[0] for line in words if len(line) == 2}

    assert {"in", "out"} <= told, f"actors/{workflow.name}.py: its docstring needs an `in    …` and an `out   …` line"


@ALL_WORKFLOWS
def test_the_migrated_table_has_every_column_that_the_workflow_declares(workflow, db):
    keys = (workflow.politeness.column,) if workflow.politeness else ()
    declared = {
        workflow.status,
        workflow.error,
        workflow.result,
        workflow.priority,
        *keys,
        workflow.curation,
        *(set(workflow.columns) - set(workflow.borrowed) - set(workflow.counted)),
        *workflow.borrowed.values(),
        "updated_at",
    }

    found = db.execute(
        "select attname from pg_attribute where attrelid = %s::regclass and attnum > 0", [workflow.quoted_table]
    ).fetchall()

    missing = declared - {None} - {name for (name,) in found}
    assert not missing, (
        f"{workflow.name}: {workflow.quoted_table} lacks {', '.join(sorted(missing))}; write a migration"
    )


@ALL_WORKFLOWS
def test_the_migrated_table_accepts_every_word_and_has_the_triggers(workflow, db):
    checks = db.execute(
        "select pg_get_constraintdef(oid) from pg_constraint where conrelid = %s::regclass and contype = 'c' "
        "and conkey = array(select attnum from pg_attribute where attrelid = conrelid and attname = %s)",
        [workflow.quoted_table, workflow.status],
    ).fetchall()
    triggers = db.execute(
        "select tgname from pg_trigger where tgrelid = %s::regclass and tgname like %s order by tgname",
        [workflow.quoted_table, f"engine_{workflow.name}_%"],
    ).fetchall()

    assert checks, f"{workflow.name}: nothing checks the words of {workflow.status}, so a typo would wait for ever"
    assert all(f"'{word}'" in check for word in workflow.words for (check,) in checks)
    events = ["curation", "insert", "update"] if workflow.curation else ["insert", "update"]
    assert triggers == [(f"engine_{workflow.name}_{event}",) for event in events]


@ALL_WORKFLOWS
def test_a_workflow_has_a_row_in_the_table_of_the_readme(workflow):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    row = re.compile(rf"^\|\s*`{workflow.name}`", re.MULTILINE)

    assert row.search(readme), f"README.md: add a row to the table of workflows that starts with | `{workflow.name}` |"


def advice(folder: Path, registered: set[str]) -> str:
    """The lines to paste for every workflow file that is not registered; nothing when all are."""
    others = {"errors", "names", "registry", "selection"}
    stems = {file.stem for file in folder.glob("*.py") if not file.stem.startswith("_")} - others
    return "\n".join(
        f"actors/{stem}.py is not registered. Paste into actors/names.py, where it belongs on a lead's way, "
        "with the name of its table:\n\n"
        f'    "{stem}": "…",\n'
        for stem in sorted(stems - registered)
    )
