"""Homes without anything in them, in which a page's commands are typed as they stand."""

import os
import re
import signal
import subprocess
import tempfile
import threading
import time

from pages import REPOSITORY

# Long, since each of them may start a scheduler on a busy machine.
PATIENCE = 120

BINARIES = REPOSITORY / "target" / "debug"
PYTHON = REPOSITORY / "target" / "python" / "newest" / "bin"
# What of the environment a new user has as well.
KEPT = ("LANG", "TERM", "TMPDIR", "USER", "LOGNAME")

# Copies to the other machine, whatever it is called: into the home of whoever is there.
COPY = """#!/bin/bash
set -e
to="${{@: -1}}"
mkdir -p "{there}"
cp -- "${{@:1:$#-1}}" "{there}/${{to#*:}}"
"""


class Typed:
    """A program with all that it said so far."""

    def __init__(self, command, home):
        self.process = subprocess.Popen(
            command,
            cwd=home.work,
            env=home.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.said = ""
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self):
        for line in self.process.stdout:
            self.said += line

    def wait_for(self, text, block):
        end = time.monotonic() + PATIENCE
        while text not in self.said:
            ended = self.process.poll() is not None
            if ended:
                self.listener.join(5)
            if text not in self.said and (ended or time.monotonic() > end):
                why = "ended with %s" % self.process.returncode if ended else "said nothing of %r" % text
                raise AssertionError("%s\n%s; it said:\n%s" % (block, why, self.said))
            time.sleep(0.02)

    def end(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is not None:
                break
            try:
                os.killpg(self.process.pid, number)
                self.process.wait(20)
            except (subprocess.TimeoutExpired, ProcessLookupError):
                continue
        self.process.stdin.close()
        self.listener.join(5)


class Home:
    """A user's folder and a shell in it."""

    def __init__(self, folder, work, programs):
        self.path = folder
        self.work = work
        self.work.mkdir(parents=True, exist_ok=True)
        # Paths of Unix sockets are short.
        self.short = tempfile.TemporaryDirectory(prefix="b")
        self.environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.environment.update(
            HOME=str(self.path),
            PATH=":".join([*map(str, programs), "/usr/local/bin", "/usr/bin", "/bin"]),
            XDG_RUNTIME_DIR=self.short.name,
            # Prompts of a keyring would wait for a person.
            DBUS_SESSION_BUS_ADDRESS="disabled:",
            PYTHONWARNINGS="ignore",
            DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__GIL__ENABLED="false",
        )
        self.shell = Typed(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail"], self)
        self.count = 0

    def type(self, text, block):
        self.count += 1
        mark = "block %d is done" % self.count
        try:
            self.shell.process.stdin.write("%s\necho '%s'\n" % (text, mark))
            self.shell.process.stdin.flush()
        except BrokenPipeError:
            pass
        self.shell.wait_for(mark, block)

    def write(self, block):
        place = re.sub(r"^~(?=/)", str(self.path), block.words[0])
        path = self.work / place
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(block.text)

    def end(self):
        self.shell.end()
        self.short.cleanup()


class Machine:
    """The reader's own, and another one where `home=there` says so, which has Dask and nothing of Bobbin's."""

    def __init__(self, folder, has_bobbin=True):
        self.folder = folder
        programs = folder / "programs"
        there = [programs, BINARIES, PYTHON] if has_bobbin else [programs, PYTHON]
        self.homes = {"here": Home(folder / "home", folder / "home" / "work", there)}
        self.terminals = []
        self.stand_in(programs, "scp", COPY.format(there=folder / "there"))

    @staticmethod
    def stand_in(folder, name, text):
        """A program that this machine may not have, or not for such a test."""
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)

    @property
    def environment(self):
        return self.homes["here"].environment

    def home(self, block):
        name = block.options.get("home", "here")
        if name not in self.homes:
            # Who logs in is in the home.
            self.homes[name] = Home(self.folder / name, self.folder / name, [PYTHON])
        return self.homes[name]

    def do(self, block):
        """Does what a reader would do with the block."""
        home = self.home(block)
        if block.words and block.language != "sh":
            home.write(block)
        elif block.language == "python":
            # A file, since workers in processes of their own look for the script that started them.
            (home.work / "typed.py").write_text(block.text)
            home.type("python typed.py", block)
        elif block.language == "sh" and block.words == ["terminal"]:
            terminal = Typed(["bash", "--noprofile", "--norc", "-e", "-c", block.text], home)
            self.terminals.append(terminal)
            terminal.wait_for(block.options.get("until", "\n"), block)
        elif block.language == "sh" and block.words == ["elsewhere"]:
            assert block.options.get("why"), "%s\nit does not say why it is not typed" % block
            check = subprocess.run(["bash", "-n"], input=block.text, text=True, capture_output=True)
            assert check.returncode == 0, "%s\n%s" % (block, check.stderr)
        elif block.language == "sh":
            assert not block.words, "%s\nnobody knows what %s means" % (block, block.words)
            home.type(block.text, block)

    def quit(self):
        """Ends what pages left open."""
        while self.terminals:
            self.terminals.pop().end()

    def end(self):
        self.quit()
        for home in self.homes.values():
            home.end()
