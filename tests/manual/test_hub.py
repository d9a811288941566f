"""The unit of hub.md: what systemd makes of it, and its command as it stands."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile

import pytest
from machine import BINARIES, PATIENCE
from pages import DOCS, blocks

(UNIT,) = [block.text for block in blocks(DOCS / "hub.md") if block.language == "ini"]
PROGRAM = "/usr/local/bin/bobbin"


def said(key):
    """What stands behind a key, which is there once."""
    (value,) = re.findall("^%s=(.*)$" % re.escape(key), UNIT, re.MULTILINE)
    return value


def complaints(folder, text):
    """What systemd has to say about a unit."""
    unit = folder / "bobbin-hub.service"
    unit.write_text(text.replace(PROGRAM, str(BINARIES / "bobbin")))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, timeout=PATIENCE)
    return done.stdout + done.stderr + ("it ended with %d" % done.returncode if done.returncode else "")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_takes_the_unit_as_it_stands(tmp_path):
    assert complaints(tmp_path, UNIT) == ""
    assert "PrivateTemp" in complaints(tmp_path, UNIT.replace("PrivateTmp", "PrivateTemp"))


def test_its_command_serves_and_ends_well_with_sigterm():
    assert said("Environment") == "BOBBIN_HUB_DIR=/var/lib/" + said("StateDirectory")
    # An address of this machine, and a folder of this user.
    command = said("ExecStart").replace(PROGRAM, str(BINARIES / "bobbin")).replace("192.0.2.10:8789", "127.0.0.1:0")
    with tempfile.TemporaryDirectory(prefix="b") as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home, "BOBBIN_HUB_DIR": home + "/hub"}
        with subprocess.Popen(shlex.split(command), env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as hub:
            try:
                assert json.loads(hub.stdout.readline())["address"] == "hub.example.org:8789"
                hub.send_signal(signal.SIGTERM)
                assert hub.wait(PATIENCE) == 0
            finally:
                hub.kill()
