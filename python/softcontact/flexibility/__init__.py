# SPDX-License-Identifier: LGPL-2.1-or-later
"""The flexibility method: contact between quasi-static elastic blocks, condensed to their contact nodes.

Source: Talbi, Joli, Feng and Kheddar, HapCo.
"""
