"""Becomes another program that the kernel kills as soon as the process that started it ends: no test leaves an orphan."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1

parent = int(sys.argv[1])
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
if os.getppid() != parent:
    sys.exit("the test that wanted this program has already ended")
os.execv(sys.argv[2], sys.argv[2:])
