# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hands that several files test; building one takes a second."""

import pytest

from softcontact.hand import HandModel, HandParameters


@pytest.fixture(scope="session")
def hand():
    return HandModel.build()


@pytest.fixture(scope="session")
def left():
    return HandModel.build(HandParameters(side="left"))
