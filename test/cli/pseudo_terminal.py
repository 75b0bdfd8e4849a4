"""Runs a program on a terminal of its own: standard input is its keyboard, standard output its screen."""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios

COLUMNS = 400

child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])

watched = [0, terminal]
while terminal in watched:
    for ready in select.select(watched, [], [])[0]:
        try:
            data = os.read(ready, 65536)
        except OSError:  # Linux says so when the program has ended.
            data = b""
        if ready == 0 and not data:
            os.kill(child, signal.SIGHUP)
        if not data:
            watched.remove(ready)
        elif ready == 0:
            os.write(terminal, data)
        else:
            os.write(1, data)

sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
