# SPDX-License-Identifier: LGPL-2.1-or-later
"""Benchmarks: each module has main(quick, json, out) and prints the paper's figure, ours and the ratio."""
