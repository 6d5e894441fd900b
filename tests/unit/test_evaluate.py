"""What `make evaluate` prints, on a small corpus of our own and on the one beside the repository."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.evaluate_html import score

ROOT = Path(__file__).parents[2]
CORPUS = ROOT.parent / "shared" / "corpora"
SITEMAP = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.example/</loc></url></urlset>'
)


def run(*arguments):
    command = [sys.executable, str(ROOT / "benchmarks" / "evaluate.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")


def page(**labels):
    nothing = dict.fromkeys(("emails", "accept_emails", "reject_emails"), ())
    numbers = dict.fromkeys(("phones", "fax", "accept_phones", "reject_phones"), ())
    return {"file": "a.html", "region": "DE", **nothing, **numbers, **labels}


@pytest.fixture
def corpus(tmp_path):
    for folder in ("html", "sitemaps", "robots"):
        (tmp_path / folder).mkdir()
    labels = {"pages": [page(emails=["praxis@zahnarzt-weber.de"])]}
    (tmp_path / "html" / "labels.json").write_text(json.dumps(labels))
    (tmp_path / "html" / "a.html").write_text('<a href="mailto:praxis@zahnarzt-weber.de">Mail</a>')
    (tmp_path / "sitemaps" / "a.xml").write_text(SITEMAP)
    manifest = [
        {"file": "a.xml", "kind": "urlset", "urls_by_regex": 2},
        {"file": "a.xml", "kind": "urlset", "urls_by_regex": 1},
    ]
    (tmp_path / "sitemaps" / "manifest.json").write_text(json.dumps(manifest))
    vector = {"test": "t", "robots": "User-agent: *\nDisallow: /x", "agent": "A", "url": "https://a.example/x"}
    vectors = [{**vector, "allowed": False}, {**vector, "allowed": True}]
    (tmp_path / "robots" / "google_vectors.json").write_text(json.dumps(vectors))
    return tmp_path


def test_one_object_has_a_key_for_each_folder_that_is_there(corpus):
    answer = run(corpus)

    result = json.loads(answer.stdout)
    assert answer.returncode == 0, answer.stderr
    assert list(result) == ["html", "sitemaps", "robots"]
    assert (result["html"]["emails"]["precision"], result["html"]["emails"]["recall"]) == (1.0, 1.0)
    assert result["html"]["pages_perfect"] == "1/1"
    assert result["sitemaps"]["exact"] == 1
    assert [(wrong["expected"], wrong["found"]) for wrong in result["sitemaps"]["mismatches"]] == [(2, 1)]
    assert (result["robots"]["right"], result["robots"]["wrong"]) == (1, 1)


@pytest.mark.parametrize("name", ["not-there", "empty"])
def test_a_directory_that_is_no_corpus_is_refused_in_one_line(tmp_path, name):
    (tmp_path / "empty").mkdir()

    answer = run(tmp_path / name)

    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.count("\n") == 1
    assert name in answer.stderr


def test_a_broken_part_is_named(corpus):
    (corpus / "html" / "labels.json").write_text("{")

    answer = run(corpus)

    assert answer.returncode == 2
    assert "not laid out as expected" in answer.stderr


def test_help_says_what_a_corpus_is():
    answer = run("--help")

    assert answer.returncode == 0
    assert "directory with some of the folders" in answer.stdout


def test_the_score_counts_hits_misses_and_what_must_never_come_out():
    labels = page(
        emails=["a@x.de", "b@x.de"],
        accept_emails=["c@x.de"],
        reject_emails=["d@x.de"],
        phones=[{"raw": "030 123456", "e164": "+4930123456"}],
        reject_phones=[{"raw": "0800 999999", "e164": None}],
    )
    found = {"emails": ["A@x.de", "c@x.de", "d@x.de"], "phones": ["+4930123456", "+49800999999"]}

    result = score([labels], {"a.html": found})

    assert result["email"] == {"tp": 1, "fp": 1, "fn": 1, "precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert result["phone"] == {"tp": 1, "fp": 1, "fn": 0, "precision": 0.5, "recall": 1.0, "f1": 0.667}
    assert (result["pages_perfect"], result["rejected_but_output"]) == ("0/1", 2)


def test_our_arithmetic_is_that_of_the_corpus(tmp_path):
    if not (CORPUS / "html" / "score.py").exists():
        pytest.skip(f"the labelled pages are not at {CORPUS}: nothing was checked")
    labels = json.loads((CORPUS / "html" / "labels.json").read_text(encoding="utf-8"))["pages"]
    # Right on some pages, wrong on others, silent on the rest.
    predictions = {
        page["file"]: {
            "emails": [*page["emails"][number % 2 :], *page["reject_emails"][: number % 3], "x@example.com"][
                : number % 4
            ],
            "phones": [label["e164"] or label["raw"] for label in page["phones"] + page["reject_phones"][: number % 3]],
        }
        for number, page in enumerate(labels)
    }
    (tmp_path / "predictions.json").write_text(json.dumps(predictions))

    command = [sys.executable, str(CORPUS / "html" / "score.py"), str(tmp_path / "predictions.json")]
    theirs = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    ours = score(labels, predictions)

    assert {key: ours[key] for key in theirs} == theirs
