# SPDX-License-Identifier: LGPL-2.1-or-later
"""`python -m softcontact` is `softcontact`."""

import sys

from softcontact.cli import main

sys.exit(main())
