"""A cluster whose scheduler and workers are started over SSH: the settings travel with Dask's configuration."""

import getpass
import json
import os
import shutil
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path

import bobbin
import dask
import pytest
from distributed import Client, SSHCluster
from processes import PLUGIN, lacking, python
from reports import records, until
from same import LACKING, same
from story import settle, workload


def sshd():
    """The server, which lies where a user's path does not go."""
    found = shutil.which("sshd", path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin")))
    return found or lacking("there is no sshd here; `cargo xtask setup` installs it where it can")


def key(path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path


@contextmanager
def server(folder):
    """Lets this user in, on this machine, with a key that was made for it. Gives what SSHCluster connects with."""
    program = sshd()
    host_key, user_key = key(folder / "host"), key(folder / "user")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = {
        "ListenAddress": "127.0.0.1:%d" % port,
        "HostKey": host_key,
        "AuthorizedKeysFile": user_key.with_suffix(".pub"),
        "PidFile": "none",
        "UsePAM": "no",
        # Root may log in too, with this key only.
        "PermitRootLogin": "prohibit-password",
        "PasswordAuthentication": "no",
        "KbdInteractiveAuthentication": "no",
        # The folder of a test lies in one that everybody writes to.
        "StrictModes": "no",
    }
    (folder / "config").write_text("".join("%s %s\n" % setting for setting in settings.items()))
    if os.getuid() == 0:
        # As the service would: a server of root's wants a folder to be locked up in.
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    log = folder / "sshd.log"
    with open(log, "wb") as output:
        process = subprocess.Popen([program, "-D", "-e", "-f", str(folder / "config")], stdout=output, stderr=output)
        try:

            def listens():
                assert process.poll() is None, log.read_text()
                return b"listening on" in log.read_bytes()

            until(listens)
            known = folder / "known"
            known.write_text("[127.0.0.1]:%d %s" % (port, host_key.with_suffix(".pub").read_text()))
            yield {
                "port": port,
                "username": getpass.getuser(),
                "client_keys": [str(user_key)],
                "known_hosts": str(known),
                "config": [],
            }
        finally:
            process.terminate()
            process.wait(20)


@pytest.mark.parametrize("version", ["oldest", "2023", "2024", "2025", "newest"])
def test_a_cluster_over_ssh_has_the_numbers_of_dask(version, tmp_path):
    keys, out = tmp_path / "keys", tmp_path / "out"
    keys.mkdir()
    chosen = {
        "DASK_DISTRIBUTED__SCHEDULER__PRELOAD": str(PLUGIN),
        "DASK_BOBBIN__DESTINATION": "file",
        "DASK_BOBBIN__FOLDER": str(out),
        "DASK_BOBBIN__INTERVAL": "0.3s",
        "DASK_BOBBIN__PROJECT": "over ssh",
    }
    with server(keys) as connection:
        with workload(version, tmp_path / "story.log", "ssh", json.dumps(connection), environment=chosen) as told:
            said = told.hear()
            assert said["workers"] == 2
            settle(lambda: same(said, out, LACKING[version]))
            told.go_on()
            told.hear()
            told.go_on()
    about = records(out, "cluster")[-1]
    # The scheduler's process has no object of it.
    assert (about["cluster_class"], about["project"], about["host"]) == (None, "over ssh", socket.gethostname())
    assert len(records(out, "stop")) == 1


def test_whoever_registers_tells_what_a_cluster_over_ssh_is(tmp_path):
    keys, out = tmp_path / "keys", tmp_path / "out"
    keys.mkdir()
    chosen = {"distributed.scheduler.preload": [str(PLUGIN)], "bobbin.folder": str(out)}
    with server(keys) as connection, dask.config.set(chosen):
        options = {"connect_options": connection, "remote_python": python("newest")}
        with SSHCluster(["127.0.0.1"] * 2, scheduler_options={"port": 0, "dashboard": False}, **options) as cluster:
            assert until(lambda: records(out, "cluster"))[-1]["cluster_class"] is None
            with Client(cluster) as client:
                bobbin.register(client)
                about = until(lambda: [row for row in records(out, "cluster") if row["cluster_class"]])[-1]
    # What the function `SSHCluster` makes.
    assert (about["cluster_class"], about["name"]) == ("SpecCluster", "SSHCluster")
    assert about["scheduler_address"] == cluster.scheduler_address
