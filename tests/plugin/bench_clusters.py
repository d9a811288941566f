"""Schedulers with and without plugins, and their workers, in processes of their own, for the benches."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

PRELOAD = Path(__file__).resolve().with_name("bench_scheduler.py")


def settings(name, receiver, token_file):
    """What a scheduler is told by its environment; the bench puts its plugin on."""
    return {
        "DASK_DISTRIBUTED__SCHEDULER__PRELOAD": json.dumps([str(PRELOAD)]),
        "DASK_BOBBIN__RECEIVER": receiver,
        "DASK_BOBBIN__TOKEN_FILE": token_file,
        "DASK_BOBBIN__NAME": name,
    }


STOPS = (signal.SIGINT, signal.SIGTERM)


def stop(number, frame):
    """Ends the bench with all that it started. Once: whoever stops it often says so twice."""
    for each in STOPS:
        signal.signal(each, signal.SIG_IGN)
    raise SystemExit(128 + number)


for each in STOPS:
    signal.signal(each, stop)


@contextmanager
def undisturbed():
    """Such a signal waits for the end of the block: a process that was just started is not known yet."""
    asked = []
    before = [signal.signal(each, lambda number, frame: asked.append(number)) for each in STOPS]
    try:
        yield
    finally:
        for each, handler in zip(STOPS, before):
            signal.signal(each, handler)
        if asked and before[0] is stop:
            stop(asked[0], None)


@contextmanager
def cluster(environment, workers=2, threads=1):
    """Gives the address of a scheduler with workers."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DASK_", "BOBBIN_"))}
    with tempfile.TemporaryDirectory(prefix="bobbin-bench-", ignore_cleanup_errors=True) as folder, ExitStack() as running:
        # The order of sets and dicts of texts is the same in each: it moves throughput more than a plugin does.
        environment = dict(kept, PYTHONHASHSEED="0", HOME=folder, DASK_ROOT_CONFIG=folder, **environment)
        where = Path(folder) / "scheduler.json"
        dask = [str(Path(sys.executable).with_name("dask"))]
        scheduler = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(where)]
        worker = ["worker", "--scheduler-file", str(where), "--no-dashboard", "--no-nanny"]
        worker += ["--nthreads", str(threads), "--host", "127.0.0.1", "--local-directory", folder]
        log = running.enter_context(open(Path(folder) / "log", "w+"))
        started = []
        running.callback(end, started)
        for words in [scheduler] + [worker] * workers:
            # In a group of their own: they are stopped by the bench alone, and not all at once with it.
            options = {"env": environment, "stdout": log, "stderr": log, "cwd": folder, "start_new_session": True}
            with undisturbed():
                started.append(subprocess.Popen(dask + words, **options))
        patience = time.monotonic() + 60
        while not (where.exists() and where.read_text()):
            if started[0].poll() is not None or time.monotonic() > patience:
                log.seek(0)
                raise SystemExit("the scheduler did not start:\n" + log.read())
            time.sleep(0.05)
        yield json.loads(where.read_text())["address"]


def end(processes):
    with undisturbed():
        for process in processes[::-1]:
            process.terminate()
        for process in processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def say(metric, unit, variant, values):
    """One value a repeat."""
    print(json.dumps({"metric": metric, "unit": unit, "variant": variant, "values": list(values)}), flush=True)


def size():
    """How much is measured: `full`, `quick`, or `smoke`, which only shows that it runs."""
    return next((size for size in ("quick", "smoke") if "--" + size in sys.argv), "full")
