# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every code block of the documentation runs as it is printed, in a folder of its own."""

import re

import pytest
from pages import DOCS, blocks, run_page

PAGES = sorted(DOCS.glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_the_page_runs_as_printed(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOFTCONTACT_CACHE", str(tmp_path / "cache"))
    run_page(page, tmp_path)


def test_every_block_left_out_says_why():
    for page in PAGES:
        for block in blocks(page):
            assert block.action != "no" or len(block.words.split()) >= 2, f"{block.place}: {block.words!r}"


def test_tests_named_as_evidence_are_there():
    text = (DOCS / "validation.md").read_text(encoding="utf-8")
    named = re.findall(r"`(?:\w+/)?(test_\w+\.py)`", text)
    there = {path.name for path in DOCS.parent.glob("tests/*/test_*.py")}
    assert len(named) > 15 and set(named) <= there


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```bash\nsoftcontact run nowhere\n```\n", r"page.md:1: exit code 2, expected 0[\s\S]*nowhere"),
        ("```python\n1 / 0\n```\n", "page.md:1: ZeroDivisionError"),
        ("<!-- run: no, needs a device -->\n\n```bash\nif\n```\n", "page.md:3: .*syntax error"),
    ],
)
def test_a_block_that_fails_is_found(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(text)
    with pytest.raises(AssertionError, match=message):
        run_page(page, tmp_path)


@pytest.mark.parametrize("comment", ["never", "no", "save as"])
def test_a_comment_that_says_nothing_known_is_refused(tmp_path, comment):
    page = tmp_path / "page.md"
    page.write_text(f"<!-- run: {comment} -->\n```python\n1\n```\n")
    with pytest.raises(ValueError, match=re.escape(comment)):
        blocks(page)
