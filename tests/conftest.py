# SPDX-License-Identifier: LGPL-2.1-or-later
"""What all tests share: repeatable random examples, and no silent skip of the browser where it is due."""

import os

import pytest
from hypothesis import settings

from softcontact.report.chromium import find_chromium

settings.register_profile("repeatable", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("repeatable")


def pytest_configure(config):
    if os.environ.get("SOFTCONTACT_REQUIRE_BROWSER") and find_chromium() is None:
        raise pytest.UsageError("SOFTCONTACT_REQUIRE_BROWSER is set, but there is no Chromium; install it")
