# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sphinx settings of the documentation: `sphinx-build -W -n docs out/docs` with the package installed.

Nothing comes from the network, at the build or when a page is read: formulas are MathML, fonts the system's.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

import softcontact

project = "SoftContact"
author = "the SoftContact authors"
copyright = "the SoftContact authors, LGPL-2.1-or-later"
version = release = softcontact.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "mathml",
    "plain_docstrings",
]
exclude_patterns = ["benchmarks", "extensions", "pictures"]

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

autodoc_default_options = {"members": True, "member-order": "bysource", "inherited-members": "BaseModel"}
autodoc_typehints = "none"  # docstrings tell units and shapes; annotations of array unions would drown them
autodoc_preserve_defaults = True
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_custom_sections = ["Source"]
nitpick_ignore_regex = [("py:(class|obj|attr)", ".*")]  # types of numpy and pydantic, which are not fetched

suppress_warnings = [
    "ref.python"
]  # fields of one name in several classes, which docstrings do not mean to link

html_theme = "furo"
html_title = f"SoftContact {version}"
html_static_path = ["static"]
html_css_files = ["softcontact.css"]
html_copy_source = False
html_show_sphinx = False
