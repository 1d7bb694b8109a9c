# SPDX-License-Identifier: LGPL-2.1-or-later
"""Formulas as MathML, which browsers draw themselves: no script, no fonts, nothing from the network."""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, bool]:
    """Make MathML the page's way to draw formulas (`html_math_renderer`)."""
    app.add_html_math_renderer("mathml", (_inline, None), (_displayed, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(translator, node: nodes.math) -> None:
    translator.body.append(tex2mathml(node.astext(), as_block=False))
    raise nodes.SkipNode


def _displayed(translator, node: nodes.math_block) -> None:
    translator.body.append(tex2mathml(node.astext(), as_block=True))
    raise nodes.SkipNode
