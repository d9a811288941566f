"""Has workers go in every way there is, one after the other; `test_lifecycle.py` runs it on several releases of Dask.

    lifecycle.py ADDRESS COMMAND…      the command starts a worker without a nanny; one with a nanny, `nannied`, is there
"""

import os
import signal
import subprocess
import sys
import time

from distributed import Client, Worker


def addresses(dask_scheduler):
    return {str(worker.name): address for address, worker in dask_scheduler.workers.items()}


def until(condition, seconds=40):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("it did not happen")
        time.sleep(0.05)


async def close_worker(address, dask_scheduler):
    try:
        await dask_scheduler.close_worker(address, stimulus_id="close-worker-now")
    except TypeError:
        # Since then it is no coroutine, and nobody tells it why.
        dask_scheduler.close_worker(address)


async def remove_worker(address, dask_scheduler):
    await dask_scheduler.remove_worker(address, stimulus_id="scheduler-remove-worker-now")


def hold(size, dask_worker):
    dask_worker.held = bytearray(size)
    for place in range(0, size, 4096):
        dask_worker.held[place] = 1


def main(address, command):
    with Client(address) as client:

        def there():
            return client.run_on_scheduler(addresses)

        def again(before):
            """The address of the nannied worker after another one."""
            until(lambda: there().get("nannied") not in (None, before))
            return there()["nannied"]

        async def start(name, **options):
            await Worker(address, name=name, nthreads=1, **options)

        for name in ("retired", "closed", "removed"):
            client.sync(start, name)
        plain = subprocess.Popen([*command, address, "--name", "plain"])
        until(lambda: len(there()) == 5)
        first = there()
        client.retire_workers([first["retired"]])
        client.run_on_scheduler(close_worker, first["closed"])
        client.run_on_scheduler(remove_worker, first["removed"])
        plain.send_signal(signal.SIGKILL)
        plain.wait()
        until(lambda: set(there()) == {"nannied"})
        client.sync(start, "lifetime", lifetime="0.5s")
        until(lambda: "lifetime" not in there())
        # By request: before 2022.12 there is no other than of all.
        client.restart_workers([first["nannied"]]) if hasattr(client, "restart_workers") else client.restart()
        second = again(first["nannied"])
        try:
            client.run(hold, 500 * 2**20, workers=[second])
        except Exception:
            # It may not live to answer.
            pass
        third = again(second)
        (pid,) = client.run(os.getpid, workers=[third]).values()
        os.kill(pid, signal.SIGKILL)
        again(third)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
