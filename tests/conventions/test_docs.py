"""What the documents name exists."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PATH = re.compile(r"`((?:app|actors|db|sql|tests|benchmarks|docs)/[\w./-]+\.(?:py|sql|md|toml|yml))`")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_every_file_that_a_document_names_exists(document):
    named = PATH.findall(document.read_text(encoding="utf-8"))

    missing = [path for path in named if not (ROOT / path).exists()]

    assert not missing, f"{document.name} names {', '.join(missing)}; correct the name or the document"


def test_the_example_workflow_in_the_documents_is_the_real_one():
    document = (ROOT / "docs" / "adding-a-workflow.md").read_text(encoding="utf-8")

    assert (ROOT / "actors" / "domain_extraction.py").read_text(encoding="utf-8") in document
