"""Schedulers and workers in processes of their own, of either version of Dask."""

import importlib
import json
import os
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest
from reports import until

REPOSITORY = Path(__file__).resolve().parents[2]
PLUGIN = REPOSITORY / "assets" / "plugin" / "bobbin.py"


def lacking(reason):
    """Passes over a test for want of something; the whole run has to have it, as with the stories."""
    (pytest.fail if os.environ.get("BOBBIN_STORIES") == "required" else pytest.skip)(reason)


def wanted(module):
    """A module that is there for the tests alone, such as another implementation to compare with."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        lacking("%s; `cargo xtask test` installs it" % error)


def python(version):
    """The interpreter of one of the environments, such as `newest` or `2022`."""
    folder = REPOSITORY / "target" / "python"
    path = folder / version / "bin" / "python"
    reason = folder / ("%s.missing" % version)
    if reason.exists():
        # The set-up tried, and says why it could not. Without the oldest there is no telling what is read from which release.
        (lacking if version == "oldest" else pytest.skip)("%s: %s" % (version, reason.read_text()))
    if not path.exists():
        lacking("no Python environment %s; `cargo xtask test` makes it" % path.relative_to(REPOSITORY))
    return str(path)


def command_line(version, word):
    """`dask scheduler`, or the `dask-scheduler` of releases that have no such word."""
    own = Path(python(version)).with_name("dask-%s" % word)
    return [str(own)] if own.exists() else [str(own.with_name("dask")), word]


class Cluster:
    def __init__(self, address, scheduler, log):
        self.address, self.scheduler, self.log = address, scheduler, log


@contextmanager
def cluster(version, folder, workers=1, threads=2, preload=None, environment=None, allowed_failures=None, worker_options=()):
    """A scheduler and workers started from the command line; stopped with SIGTERM at the end."""
    folder.mkdir(exist_ok=True)
    variables = {
        "DASK_BOBBIN__DESTINATION": "file",
        "DASK_BOBBIN__FOLDER": str(folder / "out"),
        "DASK_BOBBIN__INTERVAL": "0.3s",
        "PYTHONWARNINGS": "ignore",
    }
    if allowed_failures is not None:
        variables["DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES"] = str(allowed_failures)
    variables.update(environment or {})
    environment = dict(os.environ, **variables)
    address_file, log = folder / "scheduler.json", folder / "scheduler.log"
    command = command_line(version, "scheduler") + ["--port", "0", "--host", "127.0.0.1"]
    command += ["--dashboard-address", "127.0.0.1:0", "--scheduler-file", str(address_file)]
    if preload:
        command += ["--preload", str(preload)]
    started = []
    with open(log, "wb") as output:
        try:
            scheduler = subprocess.Popen(command, env=environment, stdout=output, stderr=output, cwd=folder)
            started.append(scheduler)

            def address():
                assert scheduler.poll() is None, log.read_text()
                return address_file.exists() and address_file.read_text()

            address = json.loads(until(address, 40))["address"]
            if workers:
                command = command_line(version, "worker") + [address, "--no-dashboard"]
                command += ["--host", "127.0.0.1", "--nworkers", str(workers), "--nthreads", str(threads)]
                command += ["--memory-limit", "1GB", "--local-directory", str(folder), *worker_options]
                started.append(subprocess.Popen(command, env=environment, stdout=output, stderr=output, cwd=folder))
            yield Cluster(address, scheduler, log)
        finally:
            for process in started:
                process.send_signal(signal.SIGTERM)
            for process in started:
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def run(version, script, *arguments, environment=None, seconds=120):
    """Runs a client's script to its end and returns what it printed."""
    done = subprocess.run(
        [python(version), "-W", "ignore", str(script), *map(str, arguments)],
        env=dict(os.environ, **(environment or {})),
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
