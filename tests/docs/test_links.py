# SPDX-License-Identifier: LGPL-2.1-or-later
"""Links of the documentation and the README lead to files and headings that are there."""

import re
from pathlib import Path

import pytest
from pages import DOCS

ROOT = DOCS.parent
PAGES = [*sorted(DOCS.rglob("*.md")), *sorted(ROOT.glob("*.md")), ROOT / "data" / "README.md"]
_LINK = re.compile(r"\]\(([^)\s]+)\)|```\{image\} (\S+)")
_PLACE = re.compile(r"`((?:docs|data|scenes|tests|plugin|python)/[\w./-]+)`")


def without_code(text):
    """The text without its fenced blocks, of those for pictures the first line stays."""
    blocks = re.compile(r"^```(\{image\} \S+)?.*?^```$", re.MULTILINE | re.DOTALL)
    return blocks.sub(lambda block: f"```{block[1]}" if block[1] else "", text)


def headings(page):
    """The names that Sphinx and GitHub give to the headings of a page."""
    titles = re.findall(r"^#+ (.+)$", without_code(page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def broken(page):
    """Links of a page that lead nowhere, and files named in it that are not there."""
    text = without_code(page.read_text(encoding="utf-8"))
    for match in _LINK.finditer(text):
        target, _, heading = (match[1] or match[2]).partition("#")
        if re.match(r"\w+:", target):
            continue
        file = (page.parent / target) if target else page
        if not file.exists() or (heading and heading not in headings(file)):
            yield match[0]
    for name in _PLACE.findall(text):
        if not any((folder / name).exists() for folder in (ROOT, ROOT / "tests")):
            yield name


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_lead_somewhere(page):
    assert list(broken(page)) == []


def test_a_broken_link_is_found(tmp_path):
    page = Path(tmp_path / "page.md")
    page.write_text("# One two\n[a](none.md) [b](#one-two) [c](#three) [d](https://x.y) `docs/none.md`\n")
    assert list(broken(page)) == ["](none.md)", "](#three)", "docs/none.md"]
