"""Runs a program. When it ends, however it ends, kills every process that it has left behind and names them.

As a child subreaper it inherits orphans at any depth, so neither a new session nor a killed parent lets one escape. A
SIGTERM, or the end of the process that started this one, ends the program and all of its processes too.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
STOP_SECONDS = 20


def main():
    parent = os.getppid()
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    program = os.fork()
    if program == 0:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.execvp(sys.argv[1], sys.argv[1:])
    # A terminal sends Ctrl-C to the program as well.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: stop(program))
    signal.signal(signal.SIGALRM, lambda *_: os.kill(program, signal.SIGKILL))
    if os.getppid() != parent:
        stop(program)
    status = wait_for(program)
    signal.alarm(0)
    left = kill_descendants()
    if left:
        print("Killed processes that outlived the tests:", *left, sep="\n  ", file=sys.stderr, flush=True)
    code = os.waitstatus_to_exitcode(status)
    sys.exit(code if code >= 0 else 128 - code)


def stop(program):
    os.kill(program, signal.SIGTERM)
    signal.alarm(STOP_SECONDS)


def wait_for(program):
    while True:
        pid, status = os.wait()
        if pid == program:
            return status


def kill_descendants():
    """Kills until none is left, as one may start another meanwhile."""
    names = []
    while pids := descendants(os.getpid()):
        for pid in pids:
            name = command_line(pid)
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            # One that has ended and is not reaped yet has no command line.
            if name:
                names.append(f"{pid} {name}")
        reap()
    return list(dict.fromkeys(names))


def reap():
    try:
        os.wait()
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


def descendants(pid):
    """All processes below this one."""
    children = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        # The name of the program stands in brackets and may hold anything.
        fields = read(f"/proc/{name}/stat").rpartition(")")[2].split()
        if fields:
            children.setdefault(int(fields[1]), []).append(int(name))
    found = [pid]
    for parent in found:
        found += children.get(parent, [])
    return found[1:]


def command_line(pid):
    return read(f"/proc/{pid}/cmdline").replace("\0", " ").strip()[:200]


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return ""


main()
