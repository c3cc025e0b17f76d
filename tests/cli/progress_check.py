#!/usr/bin/env python3
"""The progress line of `assay docs`, on a terminal and elsewhere.

    tests/cli/progress_check.py PROGRAM
"""
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""


def scratch():
    """A folder for folders: in memory where there is room, since the site has many thousand files."""
    memory = "/dev/shm"
    room = os.statvfs(memory) if os.path.isdir(memory) else None
    return memory if room and room.f_bavail * room.f_frsize > 1 << 30 else None


def write_site(terminal, term="xterm"):
    """Writes the shipped site, halted while it writes pages; what appears on standard error."""
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        out = pathlib.Path(folder) / "site"
        draft = pathlib.Path(folder) / ".site.assay-draft"
        reader, writer = pty.openpty() if terminal else os.pipe()
        process = subprocess.Popen([PROGRAM, "docs", "--out", str(out)], stdout=subprocess.DEVNULL, stderr=writer,
                                   env={**os.environ, "TERM": term})
        os.close(writer)
        while not any(draft.glob("*")) and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGSTOP)
        time.sleep(1)
        process.send_signal(signal.SIGCONT)
        shown = b""
        try:
            while piece := os.read(reader, 65536):
                shown += piece
        except OSError:
            pass  # a terminal whose other end is closed
        os.close(reader)
        if process.wait(120) != 0:
            raise RuntimeError(shown)
        return shown.decode()


class Progress(unittest.TestCase):
    def test_a_terminal_sees_how_far_it_is_and_nothing_of_it_at_the_end(self):
        shown = write_site(terminal=True)
        lines = shown.split("\r")
        self.assertRegex(lines[1], r"^site: \d+ % of \d+ pages, \d+ pages/s, \d+ s left\x1b\[K$")
        self.assertTrue(shown.endswith("\r\x1b[K"), repr(shown[-60:]))
        self.assertNotIn("\n", shown)
        longest = max(len(re.sub(r"\x1b\[K", "", line)) for line in lines)
        self.assertLess(longest, 80)

    def test_nothing_is_shown_to_a_pipe_or_a_dumb_terminal(self):
        self.assertEqual(write_site(terminal=False), "")
        self.assertEqual(write_site(terminal=True, term="dumb"), "")


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
