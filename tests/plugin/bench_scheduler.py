"""What the benches preload into every scheduler that they measure, whatever else is in it.

A ticker tells how late the event loop is, and every callback on the loop that is Bobbin's is timed from outside. Neither is a
plugin: the scheduler that is measured without one has none.
"""

import asyncio
import os
import sys
import time
from pathlib import Path

from distributed.diagnostics.plugin import SchedulerPlugin

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "assets" / "plugin"))

import bobbin  # noqa: E402

TICK_SECONDS = 0.005
# Reports come as often as by default, each ten seconds. Profiles are asked for as often, three times the default: each round bears both.
OFTEN = {"profile.interval": "10s"}
PATIENCE_SECONDS = 60


class Empty(SchedulerPlugin):
    """The least that a plugin can cost: it is called at each transition."""

    name = "empty"

    def transition(self, key, start, finish, *args, **kwargs):
        pass


async def until(condition):
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("the plugin did not do what the bench waits for")
        await asyncio.sleep(0.02)


def attached(scheduler):
    """What Bobbin's plugin does, where it is on."""
    plugin = scheduler.plugins.get(bobbin.BobbinPlugin.name)
    return plugin and plugin._run


async def put_on(scheduler, variant):
    """A new plugin of this kind, as soon as it has reported."""
    if variant == "empty":
        scheduler.add_plugin(Empty())
    elif variant.startswith("bobbin"):
        plugin = bobbin.BobbinPlugin(dict(OFTEN, **{"profile.transmit": variant.endswith("profiles")}))
        scheduler.add_plugin(plugin, name=plugin.name)
        await plugin.start(scheduler)
        run = attached(scheduler)
        await until(lambda: run.outbox.sent_bytes and not run.outbox.waiting())
        if run.settings.profile:
            await until(lambda: run.profiles.known and not run.profiles._new())


async def become(dask_scheduler, variant):
    """Takes off what is on or rests, and puts on what this kind has; all of that is over when it returns."""
    resting = dask_scheduler.bench_resting
    for name in list(resting):
        resting.pop(name).end(dask_scheduler)
    run = attached(dask_scheduler)
    for name in (Empty.name, bobbin.BobbinPlugin.name):
        if name in dask_scheduler.plugins:
            dask_scheduler.remove_plugin(name=name)
    if run is not None:
        run.leave()
        await until(run.outbox.done.is_set)
    await put_on(dask_scheduler, variant)


async def rest(dask_scheduler, variant):
    """Puts a plugin on for its turn, and lets the others rest."""
    plugins, resting = dask_scheduler.plugins, dask_scheduler.bench_resting
    wanted = variant.partition(",")[0]
    for name in {Empty.name, bobbin.BobbinPlugin.name} & set(plugins) - {wanted}:
        resting[name] = rested = Rest(plugins[name])
        await rested.begin(dask_scheduler)
    if wanted in resting:
        resting.pop(wanted).end(dask_scheduler)
    elif wanted not in plugins:
        await put_on(dask_scheduler, variant)


class Rest:
    """A plugin out of its turn: taken off, its timers stopped, with all that it knows."""

    def __init__(self, plugin):
        self.plugin = plugin
        self.run = getattr(plugin, "_run", None)

    async def begin(self, scheduler):
        run = self.run
        if run is not None:
            profiles = run.profiles
            await until(lambda: run.steps is None and profiles.task is None and not run.outbox.waiting())
            timers = [run.timer, profiles.timer] if profiles.on else [run.timer]
            self.left = [max(timer.when() - run.loop.time(), 0.0) for timer in timers]
            for timer in timers:
                timer.cancel()
            self.since = time.perf_counter()
        del scheduler.plugins[self.plugin.name]

    def end(self, scheduler):
        run = self.run
        if run is not None:
            away = time.perf_counter() - self.since
            run.last_beat += away
            run.budget.told_at += away
            run.profiles.last_round += away
            for part, left in zip((run, run.profiles), self.left):
                part._plan(left)
        scheduler.plugins[self.plugin.name] = self.plugin


def reports(dask_scheduler):
    """How many reports Bobbin's plugin began, as long as it is on."""
    run = attached(dask_scheduler)
    return run.bench_reports if run else 0


def has_reported(dask_scheduler, before):
    """Whether it began at least two more, and ended them: one that is whole, whatever it was at before."""
    run = attached(dask_scheduler)
    return run.bench_reports >= before + 2 and run.steps is None


def count_reports():
    beat = bobbin._Run._beat

    def counted(run, *arguments):
        run.bench_reports = getattr(run, "bench_reports", 0) + 1
        return beat(run, *arguments)

    bobbin._Run._beat = counted


class Ticker:
    """How late each tick was, in seconds."""

    def __init__(self, loop):
        self.loop = loop
        self.late = []
        self.planned = loop.time() + TICK_SECONDS
        loop.call_at(self.planned, self.tick)

    def tick(self):
        now = self.loop.time()
        self.late.append(now - self.planned)
        self.planned = now + TICK_SECONDS
        self.loop.call_at(self.planned, self.tick)


def is_bobbin(callback):
    """Whether a callback of the loop is a function of the plugin's, or a step of one of its coroutines."""
    owner = getattr(callback, "__self__", None)
    if isinstance(owner, asyncio.Task):
        code = getattr(owner.get_coro(), "cr_code", None)
        return code is not None and os.path.basename(code.co_filename) in ("bobbin.py", "bobbin_telemetry.py")
    return str(getattr(callback, "__module__", "")) in ("bobbin", "bobbin_telemetry")


def time_callbacks(pieces):
    """Every piece of the loop's time that Bobbin takes, as (wall, processor time) in seconds."""
    run = asyncio.Handle._run

    def timed(handle):
        if not is_bobbin(handle._callback):
            return run(handle)
        wall, cpu = time.perf_counter(), time.thread_time()
        run(handle)
        pieces.append((time.perf_counter() - wall, time.thread_time() - cpu))

    asyncio.Handle._run = timed


def dask_setup(scheduler):
    count_reports()
    scheduler.bench_ticker = Ticker(asyncio.get_running_loop())
    scheduler.bench_resting = {}
    scheduler.bench_pieces = []
    if os.environ.get("BENCH_PIECES"):
        # Not where throughput is measured: it costs every callback of the loop a little.
        time_callbacks(scheduler.bench_pieces)
