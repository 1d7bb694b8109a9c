# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page: one HTML file with everything in it, pictures too."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from softcontact.bench.page.claims import PAPERS, SOURCES, Claim
from softcontact.bench.page.gathering import Result
from softcontact.bench.page.places import PLACES
from softcontact.bench.page.tables import peer_tables
from softcontact.bench.peers.record import verdicts
from softcontact.whole_file import write_whole

TITLES = {
    "table1": "Table 1: point contacts against aggregates",
    "rate": "The whole soft hand in steps of 1 ms",
    "lifts": "Lifts from places a little aside",
    "uzawa": "Local and global Uzawa",
    "haptics": "Rendering of a tool on a soft block",
    "vademecum": "Vademecums of beam and bunny",
    "avatar": "Avatars on points and on patches",
    "solvers": "Solvers of contact problems",
    "scale": "Towers and heaps of boxes",
    "peers": "The same small cases on other tools",
    "sofa": "In SOFA: its falling beam and the table's balls, points against AggregateVolume",
    "sofa_vademecum": "In SOFA: a vademecum beside finite elements",
}
OTHERS = ("peers", "solvers", "scale", "sofa", "sofa_vademecum")  # belong to none of the papers
COLOURS = 96  # of an embedded picture
STYLE = """
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --bad: #c62828; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 0 auto; padding: 1rem 1.5rem 4rem; }
h1 { font-size: 1.7rem; margin: .5rem 0; } h2 { margin: 2.5rem 0 .5rem; border-bottom: 2px solid var(--line); }
h3 { margin: 1.5rem 0 .4rem; font-size: 1.05rem; }
table { border-collapse: collapse; margin: .6rem 0 1rem; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { background: var(--soft); font-weight: 600; } .claims td:nth-child(n+3) { text-align: right; }
.claims td:nth-child(2) { max-width: 34rem; } tr:hover td { background: var(--soft); }
.yes { color: var(--good); font-weight: 600; } .no { color: var(--bad); font-weight: 600; }
.missing { color: var(--bad); } .facts { color: #777; } img { max-width: 100%; background: white; }
figure { margin: .8rem 0; } figcaption, .small { font-size: .85rem; color: #777; }
details > summary { cursor: pointer; font-weight: 600; margin: .6rem 0; }
.sum { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1rem 0; }
.sum div { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem 1rem; }
.sum b { display: block; font-size: 1.5rem; }
"""


def write(
    path: Path,
    facts: dict[str, str],
    results: Sequence[Result],
    claims: Sequence[Claim],
    problems: Sequence[str],
    tables: dict[str, str],
) -> None:
    """Write the page.

    Args:
        path: of the file.
        facts: about version, machine and run, for the head.
        results: of all benchmarks.
        claims: the papers' figures and ours.
        problems: what could not be read.
        tables: Markdown by benchmark.
    """
    by_name = {result.name: result for result in results}
    peers = by_name["peers"].document if "peers" in tables else None
    parts = [_head(facts, claims), _shortfalls(results, claims, problems, peers)]
    for paper, title in PAPERS.items():
        parts.append(f'<h2 id="{paper}">{_text(title)}</h2>')
        parts.append(_claims([claim for claim in claims if claim.paper == paper]))
        parts += [_benchmark(by_name[name], tables.get(name)) for name in SOURCES[paper] if name in by_name]
        parts.append(_places(paper))
    parts.append('<h2 id="others">Beside other tools</h2>')
    parts += [_benchmark(by_name[name], tables.get(name)) for name in OTHERS if name in by_name]
    parts.append(_runs(results))
    text = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>SoftContact {_text(facts.get('version', ''))}: benchmarks</title><style>{STYLE}</style></head><body>"
        f"{''.join(parts)}</body></html>\n"
    )
    write_whole(path, text.encode())


def _text(value: Any) -> str:
    return html.escape(str(value))


def _head(facts: dict[str, str], claims: Sequence[Claim]) -> str:
    told = " · ".join(f"{_text(key)}: {_text(value)}" for key, value in facts.items())
    judged = [claim for claim in claims if claim.reached is not None]
    figures = [claim for claim in judged if not claim.statement]
    boxes = [_box("#not-reached", figures, "of the papers' figures and of what is asked of us, reached")]
    boxes += [
        _box(f"#{paper}", [claim for claim in figures if claim.paper == paper], title.split(",")[0])
        for paper, title in PAPERS.items()
    ]
    statements = [claim for claim in judged if claim.statement]
    boxes.append(_box("#untrue", statements, "statements of Talbi and Joli that hold here"))
    return (
        f'<h1>SoftContact beside its five papers</h1><p class="facts">{told}</p><div class="sum">{"".join(boxes)}</div>'
        "<p>Each table tells the paper's figure, ours, and the ratio: how many times better ours is, below one where "
        "it is worse. The papers' machines were of their years (2007 to 2015), so a time's ratio is the machine's too; "
        "counts, shares and errors are not. What was not reached comes first.</p>"
    )


def _box(link: str, claims: Sequence[Claim], name: str) -> str:
    good = sum(bool(claim.reached) for claim in claims)
    told = f"{good} of {len(claims)}" if claims else "not measured"
    style = "yes" if claims and good == len(claims) else "no"
    return f'<div><b class="{style}">{told}</b><a href="{link}">{_text(name)}</a></div>'


def _shortfalls(
    results: Sequence[Result], claims: Sequence[Claim], problems: Sequence[str], peers: Any
) -> str:
    lines = [
        f"<li>{_text(_author(c))}, {_text(c.place)}: {_text(c.what)}: {_text(c.theirs)}, "
        f'ours <span class="no">{_text(c.ours or "not measured")}</span></li>'
        for c in claims
        if (c.reached is False and not c.statement) or not c.ours
    ]
    lines += [
        f'<li>benchmark <code>{_text(r.name)}</code>: <span class="missing">{_text(r.problem)}</span></li>'
        for r in results
        if r.problem
    ]
    lines += [f'<li class="missing">{_text(problem)}</li>' for problem in problems]
    parts = ['<h2 id="not-reached">Not reached, not measured</h2>', _list(lines) or "<p>Everything was.</p>"]
    others = list(_better(peers))
    if others:
        parts.append(f'<h3>Where <a href="#peers">other tools</a> are better</h3>{_list(others)}')
    untrue = [
        f"<li>{_text(_author(c))}: {_text(c.what)}: {_text(c.ours)}</li>"
        for c in claims
        if c.statement and not c.reached
    ]
    if untrue:
        parts.append(f'<h3 id="untrue">Statements of the papers that do not hold here</h3>{_list(untrue)}')
    return "".join(parts)


def _author(claim: Claim) -> str:
    return PAPERS[claim.paper].split(",")[0]


def _list(lines: Sequence[str]) -> str:
    return f"<ul>{''.join(lines)}</ul>" if lines else ""


def _better(document: Any) -> Iterator[str]:
    """What other tools do better in the cases of `bench peers`."""
    for table in peer_tables(document) if document else ():
        for line in verdicts(table):
            if line.startswith("**"):
                told = _markdown(line).strip().removeprefix("<p>").removesuffix("</p>")
                yield f"<li>{_text(table.name)}: {told}</li>"


def _claims(claims: Sequence[Claim]) -> str:
    rows = []
    for claim in claims:
        mark = {True: '<span class="yes">✓</span>', False: '<span class="no">✗</span>', None: ""}[
            claim.reached
        ]
        ours = _text(claim.ours) if claim.ours else '<span class="missing">not measured</span>'
        rows.append(
            f"<tr><td>{_text(claim.place)}</td><td>{_text(claim.what)}</td><td>{_text(claim.theirs)}</td>"
            f"<td>{ours}</td><td>{_ratio(claim.ratio)}</td><td>{mark}</td></tr>"
        )
    heads = "".join(f"<th>{head}</th>" for head in ("where", "what", "paper", "ours", "ratio", ""))
    if not rows:
        return '<p class="missing">Nothing of it was measured.</p>'
    return f'<div class="wide"><table class="claims"><tr>{heads}</tr>{"".join(rows)}</table></div>'


def _ratio(ratio: float | None) -> str:
    if ratio is None:
        return ""
    shown = f"{ratio:.2f}" if ratio < 10.0 else f"{ratio:.0f}"
    return f'<span class="{"yes" if ratio >= 1.0 else "no"}">× {shown}</span>'


def _benchmark(result: Result, table: str | None) -> str:
    run = result.run
    told = [f"softcontact bench {result.name}{' --quick' if run.get('quick') else ''}"]
    if run.get("started"):
        told.append(str(run["started"]).replace("T", " ").replace("+00:00", " UTC"))
    if result.reused:
        told.append("measured before")
    body = f'<p class="missing">{_text(result.problem)}</p>' if result.problem else ""
    if table is not None:
        body += f'<details open><summary>Tables</summary><div class="wide">{_markdown(table)}</div></details>'
    body += "".join(_figure(picture) for picture in result.pictures)
    title, small = _text(TITLES[result.name]), _text(" · ".join(told))
    return f'<h3 id="{result.name}">{title}</h3><p class="small">{small}</p>{body}'


def _markdown(text: str) -> str:
    from markdown_it import MarkdownIt  # Rich brings it

    return MarkdownIt("commonmark", {"html": False}).enable("table").render(text)


def _figure(picture: Path) -> str:
    name = picture.stem.replace("-", ", ").replace("figure", "figure ")
    return (
        f'<figure><img alt="{_text(name)}" src="data:image/png;base64,{_encoded(picture)}">'
        f"<figcaption>{_text(name)}</figcaption></figure>"
    )


def _encoded(picture: Path) -> str:
    """A plot in few colours, which is a quarter of the bytes."""
    from PIL import Image  # Matplotlib brings it

    buffer = io.BytesIO()
    with Image.open(picture) as image:
        flat = Image.new("RGB", image.size, "white")
        flat.paste(image, mask=image.getchannel("A") if image.mode == "RGBA" else None)
        flat.quantize(COLOURS).save(buffer, "PNG", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode("ascii")


def _places(paper: str) -> str:
    rows = "".join(
        f"<tr><td>{_text(place)}</td><td>{_text(shows)}</td><td>{_text(here)}</td></tr>"
        for place, shows, here in PLACES[paper]
    )
    heads = "".join(f"<th>{head}</th>" for head in ("paper", "shows", "here"))
    return (
        f'<details><summary>Every figure and table of the paper</summary><div class="wide"><table><tr>{heads}</tr>'
        f"{rows}</table></div></details>"
    )


def _runs(results: Sequence[Result]) -> str:
    rows = []
    for result in results:
        run = result.run
        loads = [run.get(key) for key in ("load_before", "load_after")]
        cells = (
            result.name,
            {True: "quick", False: "full", None: ""}[run.get("quick")],
            run.get("started", ""),
            "" if run.get("seconds") is None else f"{run['seconds']:.0f}",
            " → ".join(f"{value:.1f}" for value in loads if value is not None),
            run.get("commit") or "",
            (run.get("machine") or {}).get("processor", ""),
            "measured before" if result.reused else "",
            result.problem,
        )
        rows.append(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in cells)}</tr>")
    names = ("benchmark", "extent", "started", "s", "load", "commit", "machine", "", "said")
    heads = "".join(f"<th>{name}</th>" for name in names)
    return f'<h2 id="runs">Runs</h2><div class="wide"><table><tr>{heads}</tr>{"".join(rows)}</table></div>'
