"""README and documents: their code runs, their tables are up to date, their links work."""

import contextlib
import io
import re

import pytest

from tests.pages.words import slug
from tests.readme import CHECKOUT, MADE, WHOLE, renewed

DOCUMENTS = [
    "README.md",
    "CONTRIBUTING.md",
    *sorted(path.relative_to(CHECKOUT).as_posix() for path in (CHECKOUT / "docs").rglob("*.md")),
]


def read(document):
    return (CHECKOUT / document).read_text(encoding="utf-8")


def blocks(document, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", read(document), flags=re.S | re.M)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_python_block_runs_and_prints_what_the_next_text_block_shows(document):
    text, names = read(document), {}
    for code in re.finditer(r"^```python\n(.*?)^```$", text, flags=re.S | re.M):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code[1], document, "exec"), names)
        shown = re.match(r"\n+```text\n(.*?)^```$", text[code.end() :], flags=re.S | re.M)
        if shown:
            assert printed.getvalue() == shown[1]


@pytest.mark.parametrize("document", [*MADE, *WHOLE])
def test_what_is_made_from_data_is_up_to_date(document):
    assert read(document) == renewed(document), "run `python -m tests.readme`"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_link_leads_to_an_existing_file_and_heading(document):
    for target, anchor in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", read(document)):
        if "://" in target:
            continue
        path = (CHECKOUT / document).parent / target if target else CHECKOUT / document
        assert path.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), flags=re.M)
            assert anchor in map(slug, headings), f"{target}#{anchor}"


def test_the_readme_shows_the_two_commands():
    commands = "".join(blocks("README.md", "sh"))
    assert "make train" in commands
    assert "make test" in commands


def test_the_first_example_plays_a_deal_in_about_twenty_lines():
    first = blocks("README.md", "python")[0]
    assert "sjavs_v0.env" in first
    assert len(first.splitlines()) <= 20


def test_the_readme_is_read_in_two_minutes():
    assert len(read("README.md").splitlines()) <= 150


@pytest.mark.parametrize("document", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_every_file_that_a_guide_names_is_there(document):
    named = re.findall(
        r"`((?:agents|configs|docs|scripts|sjavs_env|tests)/[\w./]+)`", read(document)
    )
    assert len(named) > 20
    gone = [name for name in named if "NAME" not in name and not (CHECKOUT / name).exists()]
    assert gone == []
