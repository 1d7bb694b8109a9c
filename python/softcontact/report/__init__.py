# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a run leaves behind for people: the recording, its replay page, pictures of it and the written report.

Import the part that is wanted: `softcontact.report.recording`, `.replay`, `.screenshot`.
"""
