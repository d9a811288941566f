"""Bobbin's plugin for the Dask scheduler: it reports to Bobbin, on your own machine, what a cluster did.

    import bobbin; bobbin.register()                   # from a client, for a running cluster
    dask scheduler --preload /path/to/bobbin.py        # or in `distributed.scheduler.preload`

The plugin is a guest in your scheduler. On the event loop it only reads counters that Dask keeps anyway; one daemon
thread writes, packs and sends the text. It never raises into Dask, never waits there, and limits what it keeps.
This is one file, needs only `distributed`, and runs on Python 3.8 and later. It travels between processes as its own
source text, because a class pickled by value can crash a scheduler with another Python version.

The plugin reads its settings from Dask's configuration where the scheduler runs (`bobbin.<name>` in YAML, or an environment
variable such as `DASK_BOBBIN__CODE__TRANSMIT`). It also honors the `coiled.analytics` settings in the second column.

    disabled             disabled                   true: the plugin does nothing
    receiver                                        null finds Bobbin on this machine; or unix:///path/receiver.sock,
                                                    http://127.0.0.1:8788, https://host:8788#sha256=CERTIFICATE
    token, token-file                               the receiver's token, or a file that contains it
    data-dir                                        Bobbin's folder, if it is not in the usual place; or BOBBIN_DATA_DIR. If
                                                    the scheduler sets none, the client's is used
    interval             computation.interval       time between two reports, 10 s; 0.2 s to a day
    code.transmit        computation.code.transmit  the source code around calls of compute(), and which lines of code
                                                    profiles met, true
    profile.transmit     profile.transmit           the statistical profile of the workers, false
    profile.interval     profile.interval           time between two reads of each worker's profile, 30 s; 0.2 s to a day
    exceptions.transmit                             messages and tracebacks of exceptions, true; types and counts are always sent
    names.transmit                                  names of tasks, groups and spans, true; false sends salted hashes
    user.transmit                                   the user's name, true
    host.transmit                                   host names, addresses and worker names, true
    paths.transmit                                  folders, true; the last part of a file's name is always sent
    events.allow         events.allow               topics whose events are sent, or "*"; others are only counted
    idle.timeout         idle.timeout               closes the cluster after this idle time, e.g. "20 minutes"; never
    remote-close                                    lets Bobbin's user close this cluster, false. Not over http://
    name, project, tags                             how Bobbin labels the cluster
    destination, folder                             "file" writes a .bobbin file instead of sending: into Bobbin's `inbox`
                                                    folder, which the app reads, or into this one
    spool.limit                                     maximum disk space for undelivered reports, in Bobbin's `spool` folder,
                                                    64 MiB; 0 writes nothing there
"""

import ast
import asyncio
import atexit
import copy
import datetime
import errno
import getpass
import gzip
import hashlib
import hmac
import http.client
import json
import linecache
import logging
import math
import numbers
import os
import pickletools
import platform
import random
import re
import socket
import ssl
import struct
import sys
import threading
import time
import traceback
import uuid
import weakref
import zlib
from array import array
from collections import Counter, OrderedDict, defaultdict, deque
from importlib import metadata
from itertools import chain, islice, repeat
from urllib.parse import urlsplit

try:
    import fcntl
except ImportError:
    # Windows: nothing goes to a spool there.
    fcntl = None

import dask
import distributed
from distributed.diagnostics.plugin import SchedulerPlugin
from distributed.protocol.serialize import Serialize, Serialized

__version__ = "0.1.0"

logger = logging.getLogger("distributed.bobbin")

PROTOCOL = 1
# Given by whoever loads this file from text; see `_source`.
_SOURCE = globals().get("_SOURCE")

NAME_BYTES = 512
MESSAGE_BYTES = 16 * 1024
TRACEBACK_BYTES = 64 * 1024
CODE_BYTES = 256 * 1024
EVENT_BYTES = 64 * 1024
# Of one text in an event: what takes longer to write holds the interpreter's lock.
LONG_TEXT = 1024 * 1024
DETAILS_BYTES = 64 * 1024
# What waits in memory to be sent, text and all the rest: so much each, twice where it is told once. With `INBOX_ROWS`, and
# twice that where it is told once, that is at most 80 MiB. Exceptions come on top, see `FAILURES`.
QUEUE_BYTES = 16 * 1024 * 1024
# What Python itself needs for a line.
LINE_BYTES = 400
INBOX_ROWS = 15000
# One batch: small enough that a receiver's limit on compression (100 to 1 after the first MiB) never matters.
BATCH_BYTES = 1024 * 1024
BATCH_RECORDS = 2000
# In the spool, what is less than this is written again each time something is added to it.
DRAFT_BYTES = 256 * 1024
SPOOL_BYTES = 64 * 1024 * 1024
# All schedulers that are gone may have left so many times that, or of a limit that is above it.
SPOOLS = 8
SPOOL_AGAIN_SECONDS = 30.0
SPOOL_NAME, SEALED_NAME = "%012d.batch", "%012d.sealed"
SPOOLED = re.compile(r"(\d{12,15})\.(batch|sealed)\Z")
# What is read in one go on the event loop, less than half a millisecond: a group that did not change takes half a microsecond,
# another sixty times that. Then the loop has its own for so many seconds. So many rows are sent together.
SLICE_STEPS = 600
SLICES_APART = 0.005
GATHERED_ROWS = 2000
# The sender's thread lets go of the interpreter each time that it had it for so long: CPython itself lets it keep it for ten
# times that while the event loop waits.
HELD_SECONDS = 0.0005
ROW_STEPS = 60
NOTE_STEPS = 8
FOLD_STEPS = 10
SLICE_TOPICS = 1000
# Of a computation with more groups, the hook of a graph looks at none: that would cost more with each graph that comes.
MANY_GROUPS = 1000
# Kinds of failures that are told, each with a record of its own, which is never shed: a later one takes the place of an earlier.
FAILURES = 1000
# Of all their texts; those of later ones are cut to two kilobytes each, three to a failure. So all of them are at most 22 MiB,
# and what waits of them to be sent as much again; without their texts, as in a spool, about a megabyte.
FAILURES_BYTES = 16 * 1024 * 1024
# So many tasks may end before their times are folded, a power of two; and so many times of a group are folded in one go.
TIMES_WAITING = 4096
TIMES_AT_ONCE = 512
# A cluster may wait so long for its first task to end.
STALL_MICROS = 60_000_000
# How the stimulus begins with which a worker says that a task failed.
FAILED_ATTEMPTS = ("task-erred", "execute-unknown-error", "run-spec-deserialize-failed", "gather-dep-fail")
# Up to so many are looked at whenever one comes or goes: 10 microseconds.
FEW_WORKERS = 16
# New computations, or events, in one beat that are a stream: each by itself is no news.
STREAM = 4
# Between two reports of a cluster that is at work and whose page is open.
WATCHED_SECONDS = 2.0
EVENTS_PER_BEAT = 1000
# What a report copies of events, in parts: of one, and of all. Of those behind that it has only the beginnings. A step of a
# slice is so many parts.
EVENT_PARTS = 5000
EVENTS_PARTS = 100_000
EVENT_BEGINNING = 20
PARTS_A_STEP = 3
WORKERS_PER_BEAT = 5000
# Dask's fine metrics that are told, by span and key.
METRIC_KEYS = 20000
# Spans whose last row is remembered, and the groups that a span or a computation tells.
SPANS = 10000
MEMBERS = 20000
# Of all spans together.
ALL_MEMBERS = 200000
# Groups that are known already, when a computation looks for new ones.
LOOKS_A_STEP = 8
# Workers tell their metrics with heartbeats, the slowest of a big cluster twice a minute.
SPAN_SETTLES = 60.0
# Up to so many workers are told one by one, more as bands.
FEW_ENOUGH_FOR_EACH = 64
# Workers that are read in one go.
WORKERS_PER_SLICE = 250
# How long it is not told that a worker closed, since Dask may say who asked for it.
ASKED_LATER_MICROS = 1_000_000
# The gap between two beats is at least so many times the processor time of one: half a percent. What hooks and pulls of profiles
# took comes off that, but never more than half of it.
BEATS_APART = 200
# What so many beats took is made up for by the same number of gaps.
BEATS_KEPT = 16
# After each beat, and each time that the times of many tasks are folded, so many calls of the hook of transitions are timed.
TIMED_CALLS = 128
# Where all that the plugin does takes more than the first part of the loop's time in a minute, and hooks half of that, the hook of
# transitions is brief, until less than the second part would do for the full one. Of so many gaps, one has the full one all the same.
WEIGHED_SECONDS = 60.0
BRIEF_ABOVE, FULL_BELOW = 1.0 / BEATS_APART, 0.6 / BEATS_APART
GAPS_A_FULL_ONE = 8
# How long a closing scheduler waits for its last batch. Where its process lives on, the thread goes on trying.
DRAIN_SECONDS = 5.0
GIVE_UP_SECONDS = 600.0
SILENT_DRAIN_SECONDS = 0.2
SETTLE_SECONDS = 2.0
ANSWER_BYTES = 64 * 1024
# A file of batches leaves a twentieth of its disk, at most so much, to what the cluster spills.
FILE_LEAVES = 1 << 30
# A request that takes longer, drop by drop, is given up.
REQUEST_SECONDS = 30.0
RETRY_AFTER_SECONDS = 300.0
# So many times a batch may meet an internal error of the receiver, which may well lie in the batch: then the others go on, as long
# as there are no more than so many of them. It is tried again behind them.
FAULTS = 10
ASIDE = 8
# What is not larger, no receiver of Bobbin's finds too large.
NEVER_TOO_LARGE = 1 << 20
# When those that earlier schedulers left are tried again.
ADOPT_AGAIN_SECONDS = 60.0
# Why a batch is lost that the receiver would not have.
REFUSALS = ("refused", "too_large")
# Events of a topic that is sent by default, but that come with each call of a client.
ROUTINE = ("update-graph", "update_graph", "gather")
# Those that tell failures of Dask's own, and the parts of them that an exception's record has.
FAILURE_TOPICS = (
    "invalid-worker-transition",
    "invalid-task-states",
    "invalid-worker-task-state",
    "transition-counter-max-exceeded",
    "worker-fail-hard",
)
FAILURE_PARTS = ("exception", "traceback", "exception_text", "traceback_text", "story")
# Topics whose events are counted by name.
TOPICS = 500
# Those that tell what becomes of workers.
WORKER_ACTIONS = frozenset(
    (
        "remove-worker",
        "worker-status-change",
        "close-worker",
        "closing-worker",
        "retire-workers",
        "restart-workers",
        "worker-ttl-timed-out",
    )
)
DEFAULT_TOPICS = ("all", "scheduler", "worker-fail-hard", "worker-restart-memory")


# Settings


KEYS = (
    "disabled",
    "receiver",
    "token",
    "token-file",
    "data-dir",
    "interval",
    "code.transmit",
    "profile.transmit",
    "profile.interval",
    "exceptions.transmit",
    "names.transmit",
    "user.transmit",
    "host.transmit",
    "paths.transmit",
    "events.allow",
    "idle.timeout",
    "remote-close",
    "name",
    "project",
    "tags",
    "destination",
    "folder",
    "spool.limit",
)
YES = ("1", "true", "t", "yes", "y", "on", "enable", "enabled")
NO = ("", "0", "false", "f", "no", "n", "off", "none", "null", "never", "disable", "disabled")


def _true(value):
    """A switch. A word that is neither yes nor no makes no sense: it would be a poor guess where it means `do not tell`."""
    if isinstance(value, str):
        word = value.strip().lower()
        if word not in YES + NO:
            raise ValueError(value)
        return word in YES
    return bool(value)


def _config(key):
    return dask.config.get("bobbin." + key, None)


# All of a process's configuration, as the one has it that started this one, such as a scheduler behind SSH.
INHERITED = "DASK_INTERNAL_INHERIT_CONFIG"
# What releases of the published client ship, where that is not what Bobbin does by itself. A process that inherits the
# configuration of one that has the package has these in it, and not the package.
SHIPPED = {
    "computation.interval": ("10s", "10m", "15s"),
    "profile.interval": ("60s",),
    "events.allow": ("*", ["*"], ["invalid-worker-transition", "invalid-task-states", "worker-fail-hard"]),
}


class _Written:
    """What the user's files and environment say of a key of Dask's configuration, where packages have their defaults, too. What a
    process inherits as a whole has these in it. The files are read once."""

    def __init__(self):
        self.tree = None

    def __call__(self, key):
        if self.tree is None:
            environment = {name: value for name, value in os.environ.items() if name != INHERITED}
            self.tree = dask.config.collect(paths=dask.config.paths, env=environment)
        return dask.config.get(key, None, config=self.tree)


def _coiled(key, written):
    """A `coiled.analytics` setting that somebody chose: what the package ships as a default says nothing about this user."""
    value = dask.config.get("coiled.analytics." + key, None)
    known = list(SHIPPED.get(key, ())) if INHERITED in os.environ else []
    for shipped in getattr(dask.config, "defaults", ()):
        for part in ("coiled", "analytics") + tuple(key.split(".")):
            shipped = shipped.get(part) if isinstance(shipped, dict) else None
        known.append(shipped)
    return written("coiled.analytics." + key) if value is not None and value in known else value


def _own_data_dir():
    """Bobbin's folder, if this process was told where it is."""
    value = _config("data-dir") or os.environ.get("BOBBIN_DATA_DIR")
    return str(value) if value else None


def _explicit():
    """What the configuration of this process says itself, to be carried to a scheduler in another process. Plain values only,
    whatever the configuration has."""
    said = {}
    settings = Settings(quiet=True)
    for key in KEYS:
        try:
            value = _plain(_config(key) if key not in settings.by_coiled else settings.by_coiled[key], [1000])
            if value is not None:
                said[key] = json.loads(json.dumps(value, allow_nan=False))
        except Exception:
            logger.warning("Bobbin cannot pass its setting %s to the scheduler.", key)
    path = said.pop("token-file", None)
    if path is not None and "token" not in said:
        try:
            said["token"] = _read_text(str(path))
        except (OSError, ValueError):
            logger.warning("Bobbin cannot read its token file.")
    folder = _own_data_dir()
    said.pop("data-dir", None)
    if folder:
        said["data-dir"] = os.path.abspath(os.path.expanduser(folder))
    if not settings.code:
        said["code.transmit"] = False
    if settings.disabled:
        said["disabled"] = True
    return said


def _maker(client):
    """What the process that has a cluster object knows of it, where the scheduler's does not: its class, its name, and whose it is.
    Nothing where the client was given an address. The user's name is told by the scheduler, or nowhere: names have it in them."""
    cluster = getattr(client, "cluster", None)
    if cluster is None:
        return {}
    identity = getattr(client, "_scheduler_identity", None) or {}
    return {
        "maker": {
            "scheduler": identity.get("id"),
            "class": _name(type(cluster).__name__),
            "name": _ask(lambda: cluster.name),
            "user": _ask(getpass.getuser),
        }
    }


def current_maker():
    """The same of the client that was made last in this process, as far as that is known."""
    try:
        return _maker(distributed.Client.current())
    except ValueError:
        # None was made.
        return {}


def _both(allowed, others):
    """The topics that both allow, where "*" is all of them."""
    if "*" in allowed:
        return others
    return allowed if "*" in others else tuple(topic for topic in allowed if topic in others)


# Those that are on or off, and what they are called below.
SWITCHES = {
    "code.transmit": "code",
    "profile.transmit": "profile",
    "exceptions.transmit": "exceptions",
    "names.transmit": "names",
    "user.transmit": "user",
    "host.transmit": "host",
    "paths.transmit": "paths",
    "remote-close": "remote_close",
}


class Settings:
    """The configuration of one attachment. `given` comes from the process that registered the plugin.

    A value that makes no sense counts as not said, and that is told once."""

    def __init__(self, given=None, quiet=False):
        self.given = dict(given or {})
        maker = self.given.get("maker")
        self.maker = maker if isinstance(maker, dict) else {}
        self.written = _Written()
        # What is said by a key of the original alone, by our key.
        self.by_coiled = {}
        odd = []

        def read(key, default, function, *arguments):
            try:
                return function(key, *arguments)
            except Exception:
                odd.append(key)
                return default

        self.disabled = read("disabled", False, self._any, "disabled")
        self.receiver = read("receiver", None, self._text)
        self.token = read("token", None, self._text)
        self.token_file = read("token-file", None, self._text)
        self.data_dir = read("data-dir", None, lambda _: _own_data_dir())
        self.carried_dir = read("data-dir", None, lambda key: self.given.get(key))
        self.interval = read("interval", 10.0, self._seconds, "computation.interval", 10.0)
        self.code = read("code.transmit", True, self._all, "computation.code.transmit", True)
        self.profile = read("profile.transmit", False, self._all, "profile.transmit", False)
        self.profile_interval = read("profile.interval", 30.0, self._seconds, "profile.interval", 30.0)
        self.exceptions = read("exceptions.transmit", True, self._all, None, True)
        self.names = read("names.transmit", True, self._all, None, True)
        self.user = read("user.transmit", True, self._all, None, True)
        self.host = read("host.transmit", True, self._all, None, True)
        self.paths = read("paths.transmit", True, self._all, None, True)
        self.idle_timeout = read("idle.timeout", None, self._timeout)
        self.remote_close = read("remote-close", False, self._all, None, False)
        self.events = read("events.allow", DEFAULT_TOPICS, self._topics)
        # Whoever names the default topics means what they are by default.
        self.without_routine = set(self.events) == set(DEFAULT_TOPICS)
        self.name = read("name", None, self._text)
        self.project = read("project", None, self._text)
        self.tags = read("tags", {}, self._tags)
        self.destination = read("destination", "receiver", self._destination)
        self.folder = read("folder", None, self._text)
        self.spool_limit = read("spool.limit", SPOOL_BYTES, self._bytes)
        if odd and not quiet:
            logger.warning("Bobbin cannot use these settings and uses its defaults: %s.", ", ".join(odd))

    def _said(self, key, coiled):
        """The answers of whoever registered and of this process, those that have one."""
        own = _config(key)
        if own is None and coiled is not None:
            own = _coiled(coiled, self.written)
            if own is not None:
                self.by_coiled[key] = own
        return [value for value in (self.given.get(key), own) if value is not None]

    def _answers(self, key, coiled, decisive):
        """What was said of a switch. A word that makes no sense is an error only where nobody gave the decisive answer."""
        answers, odd = [], None
        for value in self._said(key, coiled):
            try:
                answers.append(_true(value))
            except ValueError as error:
                odd = error
        if odd is not None and decisive not in answers:
            raise odd
        return answers

    def _any(self, key, coiled):
        return True in self._answers(key, coiled, True)

    def _all(self, key, coiled, default):
        """A switch is on only where nobody turned it off."""
        answers = self._answers(key, coiled, False)
        return False not in answers if answers else default

    def _first(self, key, coiled=None):
        said = self._said(key, coiled)
        return said[0] if said else None

    def _text(self, key):
        value = self._first(key)
        if isinstance(value, (dict, list, tuple, set)):
            raise ValueError(key)
        return None if value is None or str(value) == "" else str(value)

    def _destination(self, key):
        value = (self._text(key) or "receiver").strip().lower()
        if value not in ("file", "receiver"):
            raise ValueError(key)
        return value

    def _seconds(self, key, coiled, default):
        value = self._first(key, coiled)
        value = default if value is None else float(dask.utils.parse_timedelta(value))
        if value != value:
            raise ValueError(key)
        return min(max(value, 0.2), 24 * 3600.0)

    def _timeout(self, key):
        """Seconds, a text such as "20 minutes", or none at all: never."""
        value = self._first(key, key)
        if isinstance(value, str) and value.strip().lower() in ("", "none", "null", "false", "never"):
            return None
        if value is None or value is False:
            return None
        seconds = float(dask.utils.parse_timedelta(value))
        if seconds != seconds:
            raise ValueError(key)
        return min(seconds, 3650 * 86400.0) if seconds > 0 else None

    def _bytes(self, key):
        value = self._first(key)
        if value is None:
            return SPOOL_BYTES
        # Room for what is written again and again, or none.
        value = int(dask.utils.parse_bytes(value))
        return max(value, 4 * DRAFT_BYTES) if value > 0 else 0

    def _topics(self, key):
        """A topic is told where nobody left it out."""
        allowed = None
        for value in self._said(key, key):
            if value is False:
                value = ()
            if isinstance(value, str):
                value = value.split(",")
            if not isinstance(value, (list, tuple, set, frozenset)):
                raise ValueError(key)
            topics = tuple(str(topic).strip() for topic in value if str(topic).strip())
            allowed = topics if allowed is None else _both(allowed, topics)
        return DEFAULT_TOPICS if allowed is None else allowed

    def _tags(self, key):
        value = self._first(key)
        if value is None:
            return {}
        if isinstance(value, str):
            value = dict(pair.split("=", 1) for pair in value.split(",") if "=" in pair)
        if not isinstance(value, dict):
            raise ValueError(key)
        return {_name(key): _name(tag) for key, tag in list(value.items())[:50]}

    def narrow(self, given):
        """Takes over what somebody else, who registered after the first, switched off; nothing that they switched on."""
        other = Settings(given, quiet=True)
        self.maker = self.maker or other.maker
        self.disabled = self.disabled or other.disabled
        for key, name in SWITCHES.items():
            if given.get(key) is not None and not getattr(other, name):
                setattr(self, name, False)
        if given.get("events.allow") is not None:
            self.events = _both(self.events, other.events)
            self.without_routine = self.without_routine or other.without_routine

    def meet(self, scheduler):
        """What somebody said of the cluster of a client counts for that one alone: they may have several."""
        if self.maker.get("scheduler") not in (None, scheduler.id):
            self.maker = {}

    @property
    def obeys(self):
        """Whether an order to close can reach this cluster: nobody answers a file, and anybody may answer on a plain port."""
        return self.remote_close and self.destination != "file" and not (self.receiver or "").startswith("http://")

    def switches(self):
        return {
            "code": self.code,
            "profile": self.profile,
            "exceptions": self.exceptions,
            "names": self.names,
            "user": self.user,
            "host": self.host,
            "paths": self.paths,
            "remote_close": self.obeys,
            "events_allow": list(self.events),
        }


# Texts and numbers


def _cut(text, limit, keep_end=False):
    """At most `limit` bytes of UTF-8, saying how much is missing; with `keep_end`, the middle is taken out."""
    try:
        text = text if isinstance(text, str) else str(text)
    except Exception:
        text = "?"
    raw = text.encode("utf-8", "replace")
    if len(raw) <= limit:
        return raw.decode("utf-8")
    mark = "[%d bytes cut]" % (len(raw) - limit + 40)
    room = limit - 40
    if not keep_end:
        return raw[:room].decode("utf-8", "ignore") + mark
    head = raw[: room // 4].decode("utf-8", "ignore")
    return head + "\n" + mark + "\n" + raw[-(room - room // 4) :].decode("utf-8", "ignore")


def _name(text):
    return _cut(text, NAME_BYTES)


def _optional_name(text):
    return None if text is None else _name(text)


def _tilde(text):
    """The user's home folder is written `~`."""
    home = os.path.expanduser("~")
    if text and len(home) > 3 and home in text:
        # Where it begins a path: a home such as `/app` is part of many others.
        text = re.sub(r"(?<![\w.~-])" + re.escape(home + os.sep), lambda found: "~" + os.sep, text)
    return text


def _read_text(path):
    with open(os.path.expanduser(path), encoding="utf-8") as file:
        return file.read(64 * 1024).strip()


def _finite(number):
    """A float that JSON has; 0 for the others."""
    return number if number - number == 0 else 0.0


def _whole(number):
    """A count within the 53 bits that every reader of JSON keeps."""
    return min(max(int(number), 0), 2**53 - 1)


def _micros(seconds):
    """Micros of a wall clock reading; null for Dask's `not yet`."""
    if seconds is None or not 0 < seconds < 9e9:
        return None
    return round(seconds * 1e6)


# What `repr` does with these is known: with others it may take any time, on the scheduler's event loop.
WRITTEN_OUT = (datetime.datetime, datetime.date, datetime.timedelta, uuid.UUID)


def _plain(value, room, depth=0):
    """A JSON value like `value`, of at most `room[0]` parts; a long text counts as many, and what is cut is told in its place.
    Sets become counts and bytes are left out: a set in an event may hold every key of a worker, and bytes are somebody's pickle.
    Of objects it has the type."""
    room[0] -= 1
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        room[0] -= len(value) // 256
        return value if len(value) <= LONG_TEXT else "%s[%d characters cut]" % (value[:LONG_TEXT], len(value) - LONG_TEXT)
    if isinstance(value, int):
        if abs(value) < 2**53:
            return value
        # Python itself refuses to write the longest.
        return str(value) if value.bit_length() <= 4096 else "[%d bits cut]" % value.bit_length()
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, (set, frozenset)):
        return {"count": len(value)}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"bytes": len(value)}
    if isinstance(value, Serialized):
        return {"bytes": sum(map(len, value.frames))}
    if isinstance(value, Serialize):
        # From this very process: as it came.
        return _plain(value.data, room, depth + 1)
    if depth >= 8 or room[0] <= 0:
        return "[cut]"
    if isinstance(value, dict):
        made = {}
        for key, part in value.items():
            if room[0] <= 0:
                made["[cut]"] = len(value) - len(made)
                break
            made[_plain_key(key)] = _plain(part, room, depth + 1)
        return made
    if isinstance(value, (list, tuple, deque)):
        made = []
        for part in value:
            if room[0] <= 0:
                made.append("[%d parts cut]" % (len(value) - len(made)))
                break
            made.append(_plain(part, room, depth + 1))
        return made
    if type(value) in WRITTEN_OUT:
        return str(value)
    if isinstance(value, numbers.Integral):
        # As numpy has them.
        return _plain(int(value), room, depth + 1)
    if isinstance(value, numbers.Real):
        return _plain(float(value), room, depth + 1)
    return "<%s>" % _name(type(value).__qualname__)


def _is_written_out(key):
    """Whether writing it out runs no code of the user's."""
    if isinstance(key, tuple):
        return all(map(_is_written_out, key))
    return isinstance(key, (str, int, float, type(None))) or type(key) in WRITTEN_OUT


def _plain_key(key):
    """A key of a JSON object like `key`."""
    return _name(key if _is_written_out(key) else _plain(key, [100], 1))


def _encode(record):
    """One line of a batch. Lone surrogates, which JSON allows and UTF-8 does not, become question marks."""
    try:
        text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        text = json.dumps(_plain(record, [100000]), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace")


# Task groups: Dask keeps their sums; a reference keeps them alive after Dask has forgotten the group


ACTIVITIES = {
    "compute": "compute",
    "transfer": "transfer",
    "disk-read": "disk_read",
    "disk-write": "disk_write",
    "deserialize": "deserialize",
}
UNFINISHED = ("waiting", "no-worker", "queued", "processing")


# A bucket is the exponent and five bits of the fraction of a double: 32 to each power of two, at most 3.1 % wide.
BUCKET_BITS = 47


class _Times:
    """The compute times of a group's tasks, in microseconds: what the hook appends to `waiting` is folded into sums and a
    histogram of logarithmic buckets."""

    __slots__ = ("waiting", "whole", "count", "total", "squares", "most", "buckets", "ranked")

    def __init__(self, held):
        self.waiting = []
        # Newer versions of Dask sum whole microseconds, and ours shall be the same sum.
        self.whole = hasattr(held, "_all_durations_us")
        self.count = 0
        self.total = 0.0
        # Of the distances from the mean.
        self.squares = 0.0
        self.most = 0.0
        self.buckets = {}
        self.ranked = (0, 0.0)

    def fold(self, most=None):
        """Adds the first `most` of those that wait, or all."""
        # Taken first: a time that is no number is in the way once, and not for ever.
        waiting = self.waiting[:most]
        del self.waiting[:most]
        if self.whole:
            values = [max(round(seconds * 1e6), 0) for seconds in waiting]
        else:
            values = [seconds * 1e6 for seconds in waiting]
        count, total = len(values), math.fsum(values)
        mean = total / count
        squares = math.fsum([(value - mean) ** 2 for value in values])
        if self.count:
            # The sums of both parts, as Chan, Golub and LeVeque join them.
            apart = mean - self.total / self.count
            squares += apart * apart * self.count * count / (self.count + count)
        self.count += count
        self.total += total
        self.squares += squares
        self.most = max(self.most, max(values))
        bits = memoryview(array("d", values)).cast("B").cast("q")
        for bucket, found in Counter([bit >> BUCKET_BITS for bit in bits]).items():
            self.buckets[bucket] = self.buckets.get(bucket, 0) + found

    def read(self):
        """What `_durations` makes a record of; None where nothing was timed."""
        if self.waiting:
            self.fold()
        return (self.count, self.total, self.squares, self.most, dict(self.buckets)) if self.count else None

    def p95(self):
        """Microseconds, of what was folded."""
        if self.ranked[0] != self.count:
            self.ranked = self.count, _rank(self.buckets, self.count, 0.95)
        return self.ranked[1]


def _rank(buckets, count, part):
    """The time that `part` of all took at most, within 1.6 %."""
    wanted = math.ceil(count * part)
    for bucket in sorted(buckets):
        wanted -= buckets[bucket]
        if wanted <= 0:
            break
    if bucket <= 0:
        # Nothing, or a worker's clock that was set back.
        return 0.0
    low, high = memoryview(array("q", [bucket << BUCKET_BITS, (bucket + 1) << BUCKET_BITS])).cast("B").cast("d")
    return 2 * low * high / (low + high)


def _durations(times):
    if times is None:
        return None
    count, total, squares, most, buckets = times
    return {
        "count": count,
        "mean_seconds": total / count / 1e6,
        "std_seconds": math.sqrt(max(squares, 0.0) / count) / 1e6,
        "p50_seconds": min(_rank(buckets, count, 0.5), most) / 1e6,
        "p95_seconds": min(_rank(buckets, count, 0.95), most) / 1e6,
        "max_seconds": most / 1e6,
    }


class _Group:
    """What is known of one TaskGroup object. Its id is made here: names are reused, and `id()` is too."""

    __slots__ = ("held", "id", "mark", "states", "intact", "seconds", "nbytes", "needs", "times", "retried")

    def __init__(self, held):
        self.held = held
        self.id = uuid.uuid4().hex
        self.times = _Times(held)
        self.retried = 0
        self.mark = None
        self.states = {}
        # The states before workers left: a cluster that closes sends its workers away first, and their results with them.
        self.intact = None
        self.seconds = {}
        self.nbytes = 0
        self.needs = {}


class _Groups:
    """All task groups that a record was not finally written of, and the sums over all that ever were."""

    def __init__(self):
        self.known = {}
        # By TaskGroup, what the hook of a task that ended calls.
        self.timed = {}
        self.states = defaultdict(int)
        self.seconds = defaultdict(float)
        self.nbytes = 0
        # Whether this version of Dask tells which tasks were tried again.
        self.retries = True
        self.last_stop = 0.0
        # By id, those that have tasks on workers.
        self.assigned = {}
        # Those that had their last row in this beat, as `known`: groups that go with them still name them.
        self.gone = {}
        # Those whose row was written in this beat; computations ask.
        self.touched = {}
        self.errors = 0

    def note(self, held):
        group = self.known.get(id(held))
        if group is None:
            group = self.known[id(held)] = _Group(held)
            self.timed[held] = group.times.waiting.append
        return group

    def fold(self):
        """Makes room where many tasks end between two beats; yields None for each step."""
        for group in list(self.known.values()):
            yield None
            yield from self._fold(group, 0)

    def _fold(self, group, left):
        """Until no more than `left` wait."""
        times = group.times
        while len(times.waiting) > left:
            steps = FOLD_STEPS + min(len(times.waiting), TIMES_AT_ONCE)
            times.fold(TIMES_AT_ONCE)
            yield from repeat(None, steps)

    def rows(self, alive, now, leaving=False, closing=False):
        """A row for each group that changed since its last row, and a final one for each that Dask has forgotten. None for
        each that was only looked at."""
        self.gone = {}
        for held in list(alive.values()):
            if id(held) not in self.known:
                self.note(held)
                yield from repeat(None, NOTE_STEPS)
        for group in list(self.known.values()):
            held = group.held
            try:
                forgotten = alive.get(held.name) is not held
                final = closing or forgotten
                mark = (tuple(held.states.values()), held.nbytes_total, held.stop, len(held.dependencies), group.retried)
                if mark == group.mark and not final:
                    yield None
                    continue
                yield from self._fold(group, TIMES_AT_ONCE)
                row = self._row(group, final, now(), leaving, closing)
            except Exception:
                # One group that cannot be read must not hide the others.
                self.errors += 1
                continue
            group.mark = mark
            self.touched[id(held)] = group
            yield "task_group", group.id, row
            if forgotten:
                for state, count in group.states.items():
                    self.states[state] -= count
            if final and not closing:
                # What a closing scheduler still knows counts in its last sample, and computations ask for it.
                self.gone[id(held)] = self.known.pop(id(held))
                self.timed.pop(held, None)
                self.assigned.pop(group.id, None)

    def keep_states(self, alive):
        """Remembers the states that tasks have before workers leave: a microsecond a group."""
        for held in alive.values():
            self.note(held).intact = dict(held.states)

    def _row(self, group, final, at, leaving, closing):
        held = group.held
        states = dict(held.states)
        if not leaving or not any(states.get(state) for state in UNFINISHED):
            group.intact = states
        elif closing and group.intact is not None:
            states = group.intact
        seconds = dict(held.all_durations)
        nbytes, stop = max(held.nbytes_total, group.nbytes), held.stop
        before = group.states
        for state, count in states.items():
            if count != before.get(state, 0):
                self.states[state] += count - before.get(state, 0)
        before = group.seconds
        for activity, value in seconds.items():
            self.seconds[activity] += value - before.get(activity, 0.0)
        self.nbytes += nbytes - group.nbytes
        if stop > self.last_stop:
            self.last_stop = stop
        group.states, group.seconds, group.nbytes = states, seconds, nbytes
        if states.get("processing"):
            self.assigned[group.id] = group
        else:
            self.assigned.pop(group.id, None)
        for needed in held.dependencies:
            if id(needed) not in group.needs:
                other = self.known.get(id(needed)) or self.gone.get(id(needed))
                if other is not None:
                    group.needs[id(needed)] = other.id
        prefix = held.prefix
        return (
            at,
            group.id,
            held.name,
            None if prefix is None else prefix.name,
            states,
            seconds,
            nbytes,
            list(held.types)[:50],
            held.start,
            stop,
            list(group.needs.values()),
            group.times.read(),
            group.retried if self.retries else None,
            getattr(held, "span_id", None),
            final,
        )


def _have_run(held, states):
    """About how many tasks of a group ended well, where nobody counted them: Dask releases a task that has not run only in
    passing or when it is cancelled, and data that a client brought was never run."""
    if not held.stop:
        return 0
    return states.get("memory", 0) + states.get("released", 0) + states.get("forgotten", 0)


def _activities(seconds):
    made = dict.fromkeys(ACTIVITIES.values(), 0.0)
    made["other"] = 0.0
    for activity, value in seconds.items():
        made[ACTIVITIES.get(activity, "other")] += max(_finite(value), 0.0)
    return {activity: round(value, 6) for activity, value in made.items()}


def _states(states):
    return {str(state): _whole(count) for state, count in states.items()}


def _task_group_record(row):
    at, group_id, name, prefix, states, seconds, nbytes, types, start, stop, needs, times, retried, span_id, final = row
    return {
        "kind": "task_group",
        "at_micros": at,
        "group_id": group_id,
        "name": _name(name),
        "prefix": _name(name if prefix is None else prefix),
        "states": _states(states),
        "seconds": _activities(seconds),
        "result_bytes": _whole(nbytes),
        "types": sorted(_name(kind) for kind in types),
        "start_micros": _micros(start),
        "stop_micros": _micros(stop),
        "dependencies": needs[:20000],
        "durations": _durations(times),
        "retried": retried,
        "span_id": _optional_name(span_id),
        "final": final,
    }


# Computations


class _Computation:
    """One that goes on may have any number of groups: of those that had their last row, it keeps the sums."""

    __slots__ = ("held", "id", "joined", "ids", "live", "states", "retried", "codes", "sent", "stopped")

    def __init__(self, held):
        self.held = held
        self.id = str(held.id)
        # Those of Dask's groups that it knows: Dask's computation holds them, so that nothing else gets their `id()`.
        self.joined = set()
        self.ids = []
        self.live = {}
        self.states = Counter()
        self.retried = 0
        self.codes = 0
        self.sent = None
        self.stopped = None


class _Computations:
    """Dask keeps the last hundred computations; here each is held until its groups are final."""

    def __init__(self, groups, code):
        self.groups = groups
        self.code = code
        self.known = {}

    def note(self, held):
        """True if it is a new one."""
        computation = self.known.get(id(held))
        new = computation is None
        if new:
            computation = self.known[id(held)] = _Computation(held)
        if len(held.groups) <= MANY_GROUPS:
            for _ in self._join(computation):
                pass
        return new

    def join(self):
        """Takes references to the groups of all computations, which hold them themselves until then; yields now and then."""
        for computation in list(self.known.values()):
            yield from self._join(computation)

    def _join(self, computation):
        if len(computation.held.groups) == len(computation.joined):
            return
        for place, group in enumerate(list(computation.held.groups)):
            if id(group) not in computation.joined:
                computation.joined.add(id(group))
                known = computation.live[id(group)] = self.groups.note(group)
                if len(computation.ids) < MEMBERS:
                    computation.ids.append(known.id)
                yield from repeat(None, NOTE_STEPS)
            elif not place % LOOKS_A_STEP:
                yield None

    def rows(self, current, now, idle, closing=False):
        """A row for each computation that changed; None as often as that took time."""
        for computation in list(self.known.values()):
            held = computation.held
            codes = len(held.code) if self.code else 0
            empty_stop = idle or closing if not held.groups else None
            mark = (len(computation.joined), codes, empty_stop)
            # Between two views, and not a view and a dictionary: the shorter one is gone through.
            touched = not self.groups.touched.keys().isdisjoint(computation.live.keys())
            if touched or mark != computation.sent:
                with_code = codes != computation.codes
                # A record with code stands alone in the queue, so that a later one cannot replace it before it is sent.
                key = (computation.id, codes) if with_code else computation.id
                record = yield from self._record(computation, now(), empty_stop, with_code)
                yield "computation", key, record
                # Not before: a report may be cut short here.
                computation.codes, computation.sent = codes, mark
            gone = self.groups.known.keys().isdisjoint(computation.live.keys())
            if closing or (gone and held is not current and (computation.joined or empty_stop)):
                del self.known[id(held)]

    def _record(self, computation, at, empty_stop, with_code):
        held = computation.held
        states, retried = Counter(), 0
        for key, group in list(computation.live.items()):
            if key in self.groups.known:
                states.update(group.states)
                retried += group.retried
            else:
                computation.states.update(group.states)
                computation.retried += group.retried
                del computation.live[key]
            yield None
        states.update(computation.states)
        retried += computation.retried
        if empty_stop or (held.groups and not any(states.get(state) for state in UNFINISHED)):
            # Where no task finished well, Dask has no time of the end: it is when this was first seen.
            computation.stopped = _micros(held.stop) or computation.stopped or at
        else:
            computation.stopped = None
        record = {
            "kind": "computation",
            "at_micros": at,
            "computation_id": computation.id,
            "start_micros": _micros(held.start),
            "stop_micros": computation.stopped,
            "groups": list(computation.ids),
            "states": _states(states),
            "retried": retried if self.groups.retries else None,
        }
        if with_code:
            record["code"] = _frames(held.code)
        return record


def _frames(codes):
    """Dask's shapes over the years: texts, tuples of texts, tuples of records, and in 2023 any of these still wrapped for a
    pickle that a scheduler in the same process never made. Here always flat, outermost first."""
    frames = []
    room = 4 * CODE_BYTES
    for entry in codes:
        entry = entry if isinstance(entry, (str, tuple, list)) else getattr(entry, "data", ())
        for part in (entry,) if isinstance(entry, str) else entry:
            code = part if isinstance(part, str) else getattr(part, "code", None)
            if not isinstance(code, str):
                continue
            frame = {
                "code": _cut(code, CODE_BYTES),
                "filename": _optional_name(_tilde(getattr(part, "filename", None))),
                "line_relative": _line(getattr(part, "lineno_relative", None)),
                "line": _line(getattr(part, "lineno_frame", None)),
            }
            room -= len(frame["code"])
            if frame not in frames and room > 0 and len(frames) < 50:
                frames.append(frame)
    return frames


def _line(number):
    return number if isinstance(number, int) and 0 <= number < 2**31 else None


# Spans, and what Dask measures of what workers do


class _Spans:
    """Dask never forgets a span. Here those are looked at whose groups changed, with the spans around them."""

    def __init__(self, scheduler):
        self.spans = getattr(scheduler.extensions.get("spans"), "spans", {})
        # By span: the ids of its groups, what was told of it, and until when its metrics may change.
        self.members = {}
        self.held = 0
        self.told = OrderedDict()
        self.live = {}
        # All of them once: the plugin may come late.
        self.fresh = list(self.spans)

    def rows(self, touched, now):
        """A row for each span that changed; None as often as that took time."""
        changed = dict.fromkeys(self.fresh)
        for group in touched:
            span_id = getattr(group.held, "span_id", None)
            if span_id is not None:
                changed[span_id] = None
                members = self.members.setdefault(span_id, {})
                if group.id not in members and len(members) < MEMBERS and self.held < ALL_MEMBERS:
                    members[group.id] = None
                    self.held += 1
            yield None
        seen = {}
        for span_id in changed:
            span = self.spans.get(span_id)
            while span is not None and span.id not in seen:
                seen[span.id] = span
                span = span.parent
        until = time.monotonic() + SPAN_SETTLES
        for span_id, span in seen.items():
            self.live[span_id] = until
            row = yield from self._row(span)
            if self.told.get(span_id) != row:
                self.told.pop(span_id, None)
                self.told[span_id] = row
                yield "span", span_id, dict(row, at_micros=now())
        self.fresh = []
        while len(self.told) > SPANS:
            gone, _ = self.told.popitem(last=False)
            self.held -= len(self.members.pop(gone, ()))

    def _row(self, span):
        # As Dask's own properties of a span do, which look at all groups within for each of them, in one go.
        start, stop, done = math.inf, 0.0, True
        for inner in span.traverse_spans():
            for group in list(inner.groups):
                start, stop, done = min(start, group.start or math.inf), max(stop, group.stop), done and group.done
                yield from repeat(None, 3)
        start = 0.0 if start == math.inf else max(start, span.enqueued)
        return {
            "kind": "span",
            "span_id": _name(span.id),
            "parent_id": None if span.parent is None else _name(span.parent.id),
            "name": _name(span.name[-1]),
            "tags": [_name(tag) for tag in span.name[:50]],
            "start_micros": _micros(start),
            "stop_micros": _micros(max(stop, span.enqueued)) if done else None,
            "enqueued_micros": _micros(span.enqueued),
            "groups": list(self.members.get(span.id, ())),
        }

    def measured(self):
        """Spans whose metrics may have changed: workers tell them with a heartbeat, after the task."""
        now = time.monotonic()
        for span_id, until in list(self.live.items()):
            span = self.spans.get(span_id)
            if span is not None:
                yield span
            if span is None or (until < now and self._is_done(span_id)):
                del self.live[span_id]

    def _is_done(self, span_id):
        """By its last row: whenever one of its groups changes, there is another."""
        row = self.told.get(span_id)
        return row is None or row["stop_micros"] is not None


class _Metrics:
    """Dask's fine performance metrics. What spans have is told of them, and of the scheduler's sums only the rest."""

    def __init__(self, scheduler, spans):
        self.scheduler = scheduler
        self.spans = spans
        # By span, and of that by key, the last value that was told.
        self.told = {}
        self.keys = 0
        # Spans of which that was forgotten; whether others were in this beat.
        self.settled = OrderedDict()
        self.made_room = False
        # By key, what spans were told to have.
        self.in_spans = defaultdict(float)
        # Values that are not told for want of room, once each; by span, how many of its own.
        self.lost = 0
        self.without = OrderedDict()

    def rows(self, now):
        sums = getattr(self.scheduler, "cumulative_worker_metrics", None)
        if sums is None:
            return
        self.made_room = False
        for span in self.spans.measured():
            if span.id in self.settled:
                # It goes on after all: what it has by now was told.
                del self.settled[span.id]
                self.told[span.id] = dict(span._cumulative_worker_metrics)
                self.keys += len(self.told[span.id])
            values = list(span._cumulative_worker_metrics.items())
            for key, value in values:
                before = self.told.get(span.id, {}).get(key, 0)
                if self._is_news(span.id, key, value):
                    self.in_spans[key] += value - before
                    yield self._row(span.id, key, value, now)
                else:
                    yield None
            self._count_lost(span.id, values)
        rests = []
        for key, value in list(sums.items()):
            rest = value - self.in_spans.get(key, 0)
            if key in self.in_spans and abs(rest) <= 1e-9 * abs(value):
                # Nothing, or what is left when floats are summed in another order.
                rest = 0
                if key not in self.told.get(None, ()):
                    yield None
                    continue
            rests.append((key, rest))
            yield self._row(None, key, rest, now) if self._is_news(None, key, rest) else None
        self._count_lost(None, rests)

    def _count_lost(self, span_id, values):
        told = self.told.get(span_id, ())
        without = sum(1 for key, value in values if key not in told and _number(value) is not None)
        known = self.without.pop(span_id, 0)
        if without or known:
            self.lost += max(0, without - known)
            self.without[span_id] = max(without, known)
            # Beyond these one that goes on may be counted again.
            if len(self.without) > SPANS:
                self.without.popitem(last=False)

    def _is_news(self, span_id, key, value):
        value = _number(value)
        before = self.told.get(span_id, {}).get(key)
        if value is None or value == before:
            return False
        if before is None and not self._has_room(span_id):
            return False
        self.keys += before is None
        self.told.setdefault(span_id, {})[key] = value
        return True

    def _has_room(self, span_id):
        """A quarter is for the sums without spans. Spans whose metrics change no more make room, those that were first."""
        most = METRIC_KEYS if span_id is None else METRIC_KEYS * 3 // 4
        if self.keys >= most and not self.made_room:
            self.made_room = True
            for one in [one for one in self.told if one is not None and one not in self.spans.live]:
                self.settled[one] = None
                self.keys -= len(self.told.pop(one))
                if self.keys < METRIC_KEYS // 2:
                    break
            while len(self.settled) > SPANS:
                self.settled.popitem(last=False)
        return self.keys < most

    def _row(self, span_id, key, value, now):
        context, prefix, activity, unit = _measure(key)
        row = {
            "kind": "metric",
            "at_micros": now(),
            "span_id": _optional_name(span_id),
            "context": _name(context),
            "prefix": _optional_name(prefix),
            "activity": _name(activity),
            "unit": _name(unit),
            "value": float(value),
        }
        return "metric", "%s %s" % (span_id, key), row


# Measures that Dask names by one word, and their units.
SINGLE_MEASURES = {
    "latency": "seconds",
    "tick-duration": "seconds",
    "transfer-duration": "seconds",
    "profile-duration": "seconds",
    "transfer-bandwidth": "bytes per second",
}


def _measure(key):
    """Context, prefix, activity and unit of one of Dask's keys."""
    if not isinstance(key, tuple) or len(key) < 3:
        name = "/".join(map(str, key)) if isinstance(key, tuple) else str(key)
        return "worker", None, name, SINGLE_MEASURES.get(name, "other")
    prefix = None
    inner = key[1:-1]
    if key[0] == "execute" and len(inner) > 1:
        prefix, inner = inner[0], inner[1:]
    return key[0], prefix, "/".join(map(str, inner)), key[-1]


# Failures: counted by group, type and the head of the message; text only


REPR = re.compile(r"([A-Za-z_][\w.]*)\(")
# As `repr` writes a string. Nothing else is evaluated: the compiler has warnings for what users may write.
STRING = r"""'(?:[^'\\\n]|%s)*'|"(?:[^"\\\n]|%s)*\"""" % ((r"\\(?:[\\'\"nrt]|x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8})",) * 2)
ONE_STRING = re.compile(r"(%s),?\Z" % STRING)
FIRST_STRING = re.compile(r"(%s)," % STRING)
DIGITS = re.compile(r"\d+")


def _told(text, exception=None):
    """Type and message out of the `repr` of an exception. Where a class writes that otherwise, the type is that of its pickle."""
    match = REPR.match(text)
    if not match:
        kind = _pickled_type(_pickle_of(exception))
        # Otherwise it is a function that makes what nobody knows.
        return kind if kind[:1].isupper() else "Exception", text
    kind = match.group(1)
    inner = text[match.end() :]
    if inner.endswith(")"):
        inner = inner[:-1]
    # The other arguments of these are a line of source and where that is.
    of_syntax = kind in ("SyntaxError", "IndentationError", "TabError")
    only = ONE_STRING.match(inner) or (FIRST_STRING.match(inner) if of_syntax else None)
    if only and kind != "KeyError":
        try:
            return kind, ast.literal_eval(only.group(1))
        except (ValueError, SyntaxError):
            pass
    return kind, inner


def _pickled_type(data):
    """Name of the class whose instance a pickle holds, read from its text without loading anything.

    With tblib, its function that makes exceptions stands before the class; a class that is pickled by value begins with the
    function that makes it, its metaclass, and its name."""
    words, made = [], 0
    try:
        for position, (opcode, argument, _) in enumerate(pickletools.genops(bytes(data))):
            if opcode.name in ("GLOBAL", "STACK_GLOBAL"):
                module, name = argument.split(" ") if opcode.name == "GLOBAL" else words[-2:]
                if module.startswith("tblib."):
                    continue
                if not made and name != "_make_skeleton_class":
                    return name
                made += 1
                words.clear()
            elif isinstance(argument, str):
                if made == 2:
                    return argument
                words.append(argument)
            if position > 60:
                break
    except Exception:
        pass
    return "Exception"


def _pickle_of(exception):
    """What a worker pickled, as Dask hands it on; null where that is packed otherwise."""
    if isinstance(exception, Serialize):
        return exception.data if isinstance(exception.data, bytes) else None
    if isinstance(exception, Serialized) and exception.frames:
        return exception.frames[0]
    return None


PLACE = re.compile(r'  File ".*", line \d+(, in .*)?\Z')


def _without_code(text):
    """A traceback's places without the lines of source, and whatever marks them, that stand below each."""
    return "\n".join(line for line in text.split("\n") if not line[:1].isspace() or PLACE.match(line))


class _Failures:
    def __init__(self, groups, code=True):
        self.groups = groups
        self.code = code
        self.known = {}
        # By prefix, origin and beginning of the text, the latest of any group; and by prefix, origin and type alone.
        self.kinds = {}
        self.types = {}
        self.by_key = OrderedDict()
        self.changed = OrderedDict()
        self.erred = 0
        self.uncounted = 0
        self.bytes = 0

    def note(self, scheduler, key, cause=None, exception=None, exception_text=None, traceback_text=None, worker=None, at=0):
        """Called for each transition to `erred`. True if it was a failure of its own."""
        task = scheduler.tasks.get(key)
        if task is None:
            return False
        if not exception_text and exception is None:
            # Erred for a task that it depends on; `cause` is then absent.
            blamed = task.exception_blame
            if blamed is not None and blamed.key != key:
                entry = self.by_key.get(blamed.key)
                if entry is not None:
                    entry["dependents"] += 1
                    self.changed[entry["exception_id"]] = entry
            return False
        self.erred += 1
        group = self.groups.note(task.group)
        # A failure of Dask's own has no text, and the exception is a pickle that the scheduler itself made.
        dask_made = not exception_text and isinstance(exception, (bytes, bytearray, memoryview))
        if dask_made:
            head = _pickled_type(exception)
        else:
            head = DIGITS.sub("#", (exception_text or "")[:200])
        prefix = task.group.prefix
        kind = None if prefix is None else prefix.name, dask_made, head
        entry = self._find(kind, group.id, lambda: head if dask_made else _told(exception_text or "", exception)[0])
        if entry is None:
            if len(self.known) >= FAILURES:
                self.uncounted += 1
                return True
            if dask_made:
                type_name = head
                message = "Dask gave up task %s" % _name(key)
                if type_name == "KilledWorker":
                    if task.suspicious == 1:
                        message += ": worker %s died while it ran it" % worker
                    else:
                        message += ": %d workers died while they ran it, the last was %s" % (task.suspicious, worker)
            else:
                type_name, message = _told(exception_text or "", exception)
            if traceback_text and not self.code:
                traceback_text = _without_code(traceback_text)
            entry = self.known[kind, group.id] = self.kinds[kind] = self.types[(*kind[:2], type_name)] = self._entry(
                task.group,
                at,
                origin="dask" if dask_made else "user",
                exception_type=_name(type_name),
                message=_cut(_tilde(message), MESSAGE_BYTES),
                traceback=_cut(_tilde(traceback_text), TRACEBACK_BYTES, True) if traceback_text else None,
                worker=_optional_name(worker),
            )
        self._count(entry, at)
        self.by_key[key] = entry
        if len(self.by_key) > 10000:
            self.by_key.popitem(last=False)
        return True

    def _find(self, kind, group, type_of):
        """That of the group. Where there are many, of any group whose tasks fail alike, and where there are very many, of any that
        fail by the same type, whatever they say: a function that is called a thousand times leaves room for others."""
        many = len(self.known)
        entry = self.known.get((kind, group))
        if entry is None and many >= FAILURES // 2:
            entry = self.kinds.get(kind)
        if entry is None and many >= FAILURES * 3 // 4:
            entry = self.types.get((*kind[:2], type_of()))
        return entry

    def _entry(self, held, at, **fields):
        entry = {
            "kind": "exception",
            "at_micros": at,
            "exception_id": uuid.uuid4().hex,
            "group_id": None if held is None else self.groups.note(held).id,
            "group": None if held is None else _name(held.name),
            "details": None,
            "first_seen_micros": at,
            "last_seen_micros": at,
            "count": 0,
            "dependents": 0,
        }
        entry.update(fields)
        # Kept as long as the scheduler lives, since each row of it has all of it.
        texts = {field: entry[field] for field in ("message", "traceback", "details") if entry[field]}
        if self.bytes > FAILURES_BYTES:
            entry.update((field, _cut(text, 2048, True)) for field, text in texts.items())
        self.bytes += sum(len(text.encode("utf-8", "replace")) for text in texts.values())
        return entry

    def _count(self, entry, at):
        entry["count"] += 1
        entry["last_seen_micros"] = at
        self.changed[entry["exception_id"]] = entry

    def of_dask(self, scheduler, topic, message, at):
        """A failure of Dask's own that it tells as an event: the packet as text. What is pickled in it stays so."""
        message = message if isinstance(message, dict) else {"message": message}
        try:
            task = scheduler.tasks.get(message.get("key"))
        except TypeError:
            task = None
        text = message.get("exception_text")
        if not isinstance(text, str):
            text = " ".join(_plain_key(message[part]) for part in ("key", "state", "start", "finish") if part in message)
        group = None if task is None else self.groups.note(task.group).id
        prefix = None if task is None else task.group.prefix
        kind = None if prefix is None else prefix.name, topic, DIGITS.sub("#", text[:200])
        entry = self._find(kind, group, lambda: topic)
        if entry is None:
            if len(self.known) >= FAILURES:
                self.uncounted += 1
                return
            traceback_text = message.get("traceback_text")
            traceback_text = traceback_text if isinstance(traceback_text, str) else None
            if traceback_text and not self.code:
                traceback_text = _without_code(traceback_text)
            rest = {name: part for name, part in message.items() if name not in ("traceback_text", "exception_text")}
            details = json.dumps(_plain(rest, [5000]), ensure_ascii=False, indent=1)
            entry = self.known[kind, group] = self.kinds[kind] = self.types[(*kind[:2], topic)] = self._entry(
                None if task is None else task.group,
                at,
                origin="dask",
                exception_type=topic,
                message=_cut(_tilde(text), MESSAGE_BYTES),
                traceback=_cut(_tilde(traceback_text), TRACEBACK_BYTES, True) if traceback_text else None,
                details=_cut(_tilde(details), DETAILS_BYTES),
                worker=_optional_name(message.get("worker")),
            )
        self._count(entry, at)

    def of_graph(self, error, at):
        """A graph that the scheduler could not take: none of its tasks came to be, and its client has the exception."""
        type_name = "Exception" if error is None else type(error).__name__
        text = "The scheduler could not take a graph" if error is None else _ask(lambda: str(error)) or type_name
        kind = None, "graph", DIGITS.sub("#", "%s %s" % (type_name, text[:200]))
        entry = self._find(kind, None, lambda: type_name)
        if entry is None:
            if len(self.known) >= FAILURES:
                self.uncounted += 1
                return
            told = "" if error is None else "".join(traceback.format_exception(type(error), error, error.__traceback__))
            entry = self.known[kind, None] = self.kinds[kind] = self.types[(*kind[:2], type_name)] = self._entry(
                None,
                at,
                origin="dask",
                exception_type=_name(type_name),
                message=_cut(_tilde(text), MESSAGE_BYTES),
                traceback=_cut(_tilde(told if self.code else _without_code(told)), TRACEBACK_BYTES, True) if told else None,
                worker=None,
            )
        self._count(entry, at)

    def rows(self, at):
        for entry in self.changed.values():
            yield "exception", entry["exception_id"], dict(entry, at_micros=at)
        self.changed.clear()


# Where to send: found anew for each connection


def _data_dir(settings):
    path = settings.data_dir or settings.carried_dir
    if path:
        return os.path.expanduser(path)
    home = os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "bobbin")
    if os.name == "nt":
        return os.path.join(os.environ.get("APPDATA") or home, "bobbin", "data")
    base = os.environ.get("XDG_DATA_HOME", "")
    return os.path.join(base if os.path.isabs(base) else os.path.join(home, ".local", "share"), "bobbin")


class _Target:
    """One way to reach a receiver. Without `pin`, only this machine is talked to."""

    def __init__(self, path=None, host=None, port=None, pin=None, token=None):
        self.path, self.host, self.port, self.pin, self.token = path, host, port, pin, token

    def __str__(self):
        if self.path:
            return "unix://" + self.path
        return "%s://%s:%s" % ("https" if self.pin else "http", self.host, self.port)


TOKEN = re.compile(r"[\x21-\x7e]{1,4096}\Z")
PIN = re.compile(r"[0-9a-f]{64}\Z")


def _is_loopback(host):
    return host == "localhost" or host == "::1" or re.match(r"127\.\d+\.\d+\.\d+$", host) is not None


def _target_of(address, token):
    """A target from the setting `receiver`, or ValueError with what is wrong in it."""
    parts = urlsplit(address)
    if parts.scheme == "unix":
        return _Target(path=parts.path, token=token)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("bobbin.receiver must start with unix:///, http:// or https://")
    port = parts.port or 8788
    if parts.scheme == "https":
        pin = parts.fragment.partition("sha256=")[2].replace(":", "").lower()
        if not PIN.match(pin):
            raise ValueError("bobbin.receiver with https:// must end in #sha256= and the certificate's SHA-256")
        return _Target(host=parts.hostname, port=port, pin=pin, token=token)
    if not _is_loopback(parts.hostname):
        raise ValueError("bobbin.receiver with http:// must be on this machine; use https:// for another")
    return _Target(host=parts.hostname, port=port, token=token)


def _own_file(path):
    """Whether a file belongs to this user or to the system, so that nobody else can point us elsewhere."""
    return os.name != "posix" or os.stat(path).st_uid in (os.getuid(), 0)


class _Finder:
    """Reads where the receiver is, and notices when that changed."""

    def __init__(self, settings):
        self.settings = settings
        self.folder = _data_dir(settings)
        self.address_file = os.path.join(self.folder, "receiver.json")

    def targets(self):
        """Ways to try, best first. OSError or ValueError if there is none."""
        targets = self._targets()
        for target in targets:
            if target.token is not None and not TOKEN.match(target.token):
                # Told here in words of ours: the error of a header that cannot be sent quotes it.
                raise ValueError("the token must be one word of plain letters and digits")
        return targets

    def _targets(self):
        settings = self.settings
        token = settings.token
        if token is None and settings.token_file:
            token = _read_text(settings.token_file)
        if settings.receiver:
            target = _target_of(settings.receiver, token)
            if token is None and target.pin is None:
                target.token = _read_text(os.path.join(self.folder, "token"))
            return [target]
        if not os.path.exists(self.address_file):
            raise OSError("Bobbin is not running here (there is no %s)" % self.address_file)
        if not (settings.data_dir or _own_file(self.address_file)):
            raise ValueError("%s belongs to another user" % self.address_file)
        found = json.loads(_read_text(self.address_file))
        if token is None:
            token = _read_text(found.get("token_file") or os.path.join(self.folder, "token"))
        targets = []
        if found.get("socket") and hasattr(socket, "AF_UNIX") and os.path.exists(found["socket"]):
            targets.append(_Target(path=found["socket"], token=token))
        host, _, port = (found.get("tcp") or "").rpartition(":")
        if host:
            # Whoever took the port of a receiver that is gone must not get the token: only its certificate does.
            pin = str(found.get("certificate_sha256") or "").replace(":", "").lower()
            if PIN.match(pin):
                targets.append(_Target(host=host.strip("[]"), port=int(port), pin=pin, token=token))
        if not targets:
            raise ValueError("%s does not say how to reach the receiver" % self.address_file)
        return targets

    def signature(self):
        """Changes when the receiver or the token may have."""
        marks = []
        for path in (self.address_file, os.path.join(self.folder, "token"), self.settings.token_file):
            try:
                status = os.stat(path)
                marks.append((status.st_mtime_ns, status.st_ino, status.st_size))
            except (OSError, TypeError, ValueError):
                marks.append(None)
        return marks


class _Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket, over loopback, or over TLS to one known certificate."""

    def __init__(self, target, timeout):
        super().__init__(target.host or "bobbin", target.port or 80, timeout=timeout)
        self.target = target

    def connect(self):
        target = self.target
        if target.path:
            sock = socket.socket(socket.AF_UNIX)
            try:
                sock.settimeout(1.0)
                sock.connect(target.path)
            except BaseException:
                sock.close()
                raise
        else:
            sock = socket.create_connection((target.host, target.port), 1.0)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = sock
        if target.pin:
            self._secure(sock)
        self.sock.settimeout(self.timeout)

    def interrupt(self):
        """Ends whatever is under way; called by another thread."""
        sock = self.sock
        if sock is not None:
            try:
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
            except OSError:
                pass

    def _secure(self, sock):
        """The certificate is compared before a byte of ours is sent; who signed it and for which name do not matter."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        self.sock = context.wrap_socket(sock, server_hostname=self.target.host, do_handshake_on_connect=False)
        self.sock.do_handshake()
        presented = hashlib.sha256(self.sock.getpeercert(binary_form=True)).hexdigest()
        if not hmac.compare_digest(presented, self.target.pin):
            raise ssl.SSLError("the receiver's certificate is not the expected one")


class _Reply:
    """What a batch met: `kept` by the receiver, to be tried `again`, `split`, or `dropped` where no later try can succeed. `status` is
    that of an answer, if there was one."""

    def __init__(self, verdict, stop=None, watched=False, retry_after=None, why=None, status=None):
        self.verdict, self.stop, self.watched = verdict, stop, watched
        self.retry_after, self.why, self.status = retry_after, why, status

    @property
    def fault(self):
        """Whether it may be the batch's: others may be taken."""
        return self.status in (408, 413, 500)


class _Receiver:
    """Sends batches to a receiver over one kept connection."""

    def __init__(self, settings):
        self.finder = _Finder(settings)
        self.connection = None
        self.place = None
        self.interrupted = False

    def signature(self):
        return self.finder.signature()

    def _open(self):
        problem = OSError("Bobbin is not running here")
        for target in self.finder.targets():
            if self.interrupted:
                break
            self.connection = _Connection(target, 10.0)
            try:
                self.connection.connect()
            except OSError as error:
                problem = error
                self.close()
                continue
            self.place = str(target)
            return
        raise problem

    def close(self):
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.close()

    def interrupt(self):
        """Ends a request under way, without an answer; called by another thread."""
        self.interrupted = True
        connection = self.connection
        if connection is not None:
            connection.interrupt()

    def post(self, batch, body, sealed):
        """The receiver's verdict. Raises anything when there is none: what answers may be no receiver."""
        self.interrupted = False
        fresh = self.connection is None
        if fresh:
            self._open()
        try:
            status, headers, answer = self._exchange(body, sealed)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            if fresh or self.interrupted or isinstance(error, socket.timeout):
                raise
            # The receiver may have closed an idle connection: once more on a new one.
            self._open()
            status, headers, answer = self._exchange(body, sealed)
        return self._judge(status, headers, answer, batch)

    def _exchange(self, body, sealed):
        if sealed:
            headers = {"Content-Type": "application/vnd.bobbin.sealed"}
        else:
            headers = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
        if self.connection.target.token:
            headers["Authorization"] = "Bearer " + self.connection.target.token
        self.connection.request("POST", "/v1/batches", body, headers)
        response = self.connection.getresponse()
        answer = response.read(ANSWER_BYTES + 1)
        if response.will_close or not response.isclosed():
            self.close()
        return response.status, response.headers, answer

    def _judge(self, status, headers, body, batch):
        if status == 200:
            if len(body) > ANSWER_BYTES:
                raise ValueError("something other than Bobbin answers at %s" % self.place)
            answer = json.loads(body.decode("utf-8"))
            if answer.get("instance_id") != batch.instance_id or answer.get("first_seq") != batch.first_seq:
                raise ValueError("something other than Bobbin answers at %s" % self.place)
            return _Reply("kept", stop=answer.get("stop"), watched=answer.get("watched") is True)
        why = "%s answers %d" % (self.place, status)
        if status == 413 or (status == 408 and batch.records > 1):
            # Too large, or so large that it came too slowly.
            return _Reply("split", why=why, status=status)
        if status in (409, 422):
            return _Reply("dropped", why=why)
        if status in (401, 403):
            self.close()
            why = "%s refuses the token" % self.place
        # Whatever else it is passes: a tunnel that leads elsewhere, another program on the port, a disk that is damaged.
        wait = headers.get("Retry-After") or ""
        return _Reply("again", retry_after=int(wait) if wait.isdigit() else None, why=why, status=status)


class _File:
    """Appends batches to a file: one gzip member each, so that `zcat` reads it."""

    def __init__(self, settings, cluster_id, instance_id):
        self.folder = os.path.expanduser(settings.folder or os.path.join(_data_dir(settings), "inbox"))
        self.place = os.path.join(self.folder, _stem(cluster_id, instance_id) + ".bobbin")
        self.descriptor = None
        # From then on it is this file or none: it may be closed in between.
        self.made = False
        # Where its last whole batch ends.
        self.end = 0

    def signature(self):
        return None

    def interrupt(self):
        pass

    def _open(self):
        flags = os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        if not self.made:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            flags |= os.O_CREAT | os.O_EXCL
            self.end = 0
        try:
            self.descriptor = os.open(self.place, flags, 0o600)
        except FileNotFoundError:
            self.made = False
            raise
        self.made = True

    def post(self, batch, body, sealed):
        if self.descriptor is not None and not os.fstat(self.descriptor).st_nlink:
            # Somebody took it in: what is written from now on would be nobody's.
            self.close()
            self.made = False
        if self.descriptor is None:
            self._open()
        start = os.lseek(self.descriptor, 0, os.SEEK_END)
        if start > self.end:
            # Half a batch that could not be taken back when it failed.
            os.ftruncate(self.descriptor, self.end)
            start = os.lseek(self.descriptor, 0, os.SEEK_END)
        self._leave_room(len(body))
        try:
            rest = memoryview(body)
            while rest:
                rest = rest[os.write(self.descriptor, rest) :]
        except OSError:
            # A full disk: no half batch is left behind.
            os.ftruncate(self.descriptor, start)
            os.lseek(self.descriptor, start, os.SEEK_SET)
            raise
        self.end = start + len(body)
        return _Reply("kept")

    def _leave_room(self, size):
        """A disk that only others may fill is full for us before."""
        if not hasattr(os, "fstatvfs"):
            return
        disk = os.fstatvfs(self.descriptor)
        if disk.f_bavail * disk.f_frsize - size < min(disk.f_blocks * disk.f_frsize // 20, FILE_LEAVES):
            raise OSError(errno.ENOSPC, "the free disk space of %s is left to the cluster" % self.folder)

    def close(self):
        descriptor, self.descriptor = self.descriptor, None
        if descriptor is not None:
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


# Sealing: text that a scheduler could not deliver goes to the disk so that only the install can read it.
#
# HPKE (RFC 9180) in base mode, single shot: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, ChaCha20-Poly1305. In Python, since
# the standard library has none of it. Not of constant time, and it need not be: the one secret is made here for one
# message and forgotten. ChaCha20 works on many blocks at once, as lanes of long integers: 20 times faster than one by one.


SEALED_FIRST_LINE = b"bobbin-sealed-1\n"
SPOOL_INFO = b"bobbin spool 1"
LANES = 512
EACH = sum(1 << 64 * lane for lane in range(LANES))
LOW_HALF = EACH * 0xFFFFFFFF
COUNTING = sum(lane << 64 * lane for lane in range(LANES))
# The columns of the state, then its diagonals.
QUARTERS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
QUARTERS += ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))


def _x25519(scalar, point):
    """RFC 7748, section 5: the Montgomery ladder."""
    p = 2**255 - 19
    k = int.from_bytes(scalar, "little") & ~7 & (1 << 254) - 1 | 1 << 254
    u = int.from_bytes(point, "little") & (1 << 255) - 1
    x2, z2, x3, z3, swapped = 1, 0, u, 1, 0
    for position in range(254, -1, -1):
        bit = k >> position & 1
        if bit != swapped:
            x2, x3, z2, z3 = x3, x2, z3, z2
        swapped = bit
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        aa, bb, da, cb = a * a % p, b * b % p, d * a % p, c * b % p
        e = aa - bb
        x3, z3 = (da + cb) ** 2 % p, u * (da - cb) ** 2 % p
        x2, z2 = aa * bb % p, e * (aa + 121665 * e) % p
    if swapped:
        x2, z2 = x3, z3
    return (x2 * pow(z2, p - 2, p) % p).to_bytes(32, "little")


def _chacha20(key, nonce, counter, data):
    """RFC 8439, section 2.4. Each integer has one word of the state, of `LANES` blocks in 64 bits each."""
    # The word at 12 counts the blocks.
    words = struct.unpack("<16I", b"expand 32-byte k" + key + bytes(4) + nonce)
    start = [word * EACH for word in words]
    made = []
    for begin in range(0, len(data), 64 * LANES):
        start[12] = COUNTING + (counter + begin // 64) * EACH
        x = list(start)
        for _ in range(10):
            for a, b, c, d in QUARTERS:
                # A lane's upper half takes what a shift pushes over; the mask empties it again.
                x[a] = x[a] + x[b] & LOW_HALF
                turned = x[d] ^ x[a]
                x[d] = (turned << 16 | turned >> 16) & LOW_HALF
                x[c] = x[c] + x[d] & LOW_HALF
                turned = x[b] ^ x[c]
                x[b] = (turned << 12 | turned >> 20) & LOW_HALF
                x[a] = x[a] + x[b] & LOW_HALF
                turned = x[d] ^ x[a]
                x[d] = (turned << 8 | turned >> 24) & LOW_HALF
                x[c] = x[c] + x[d] & LOW_HALF
                turned = x[b] ^ x[c]
                x[b] = (turned << 7 | turned >> 25) & LOW_HALF
        x = [one + other & LOW_HALF for one, other in zip(x, start)]
        stream = array("Q", bytes(64 * LANES))
        for pair in range(8):
            two = x[2 * pair] | x[2 * pair + 1] << 32
            stream[pair::8] = array("Q", two.to_bytes(8 * LANES, "little"))
        part = data[begin : begin + 64 * LANES]
        mask = int.from_bytes(stream.tobytes()[: len(part)], "little")
        made.append((int.from_bytes(part, "little") ^ mask).to_bytes(len(part), "little"))
    return b"".join(made)


def _poly1305(key, data):
    """RFC 8439, section 2.5."""
    p = 2**130 - 5
    r = int.from_bytes(key[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    total = 0
    for at in range(0, len(data), 16):
        total = (total + int.from_bytes(data[at : at + 16] + b"\x01", "little")) * r % p
    return (total + int.from_bytes(key[16:], "little") & (1 << 128) - 1).to_bytes(16, "little")


def _chacha20_poly1305(key, nonce, data, aad):
    """RFC 8439, section 2.8: the ciphertext and its tag."""
    text = _chacha20(key, nonce, 1, data)
    told = b"".join(part + bytes(-len(part) % 16) for part in (aad, text))
    told += len(aad).to_bytes(8, "little") + len(text).to_bytes(8, "little")
    return text + _poly1305(_chacha20(key, nonce, 0, bytes(32)), told)


def _hkdf_extract(salt, material):
    """RFC 5869, section 2.2."""
    return hmac.new(salt or bytes(32), material, hashlib.sha256).digest()


def _hkdf_expand(secret, info, length):
    """RFC 5869, section 2.3."""
    block = made = b""
    while len(made) < length:
        block = hmac.new(secret, block + info + bytes([len(made) // 32 + 1]), hashlib.sha256).digest()
        made += block
    return made[:length]


def _labeled_extract(suite, salt, label, material):
    """RFC 9180, section 4."""
    return _hkdf_extract(salt, b"HPKE-v1" + suite + label + material)


def _labeled_expand(suite, secret, label, info, length):
    return _hkdf_expand(secret, length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info, length)


def _hpke_seal(public, info, aad, plain, ephemeral=None):
    """RFC 9180, section 6.1: the encapsulated key, then the ciphertext. `ephemeral` is for test vectors."""
    ephemeral = ephemeral or os.urandom(32)
    encapsulated = _x25519(ephemeral, (9).to_bytes(32, "little"))
    shared = _x25519(ephemeral, public)
    if not any(shared):
        raise ValueError("the public key is a point of small order")
    kem = b"KEM\x00\x20"
    shared = _labeled_extract(kem, b"", b"eae_prk", shared)
    shared = _labeled_expand(kem, shared, b"shared_secret", encapsulated + public, 32)
    suite = b"HPKE\x00\x20\x00\x01\x00\x03"
    context = b"\x00" + _labeled_extract(suite, b"", b"psk_id_hash", b"") + _labeled_extract(suite, b"", b"info_hash", info)
    secret = _labeled_extract(suite, shared, b"secret", b"")
    key = _labeled_expand(suite, secret, b"key", context, 32)
    nonce = _labeled_expand(suite, secret, b"base_nonce", context, 12)
    return encapsulated + _chacha20_poly1305(key, nonce, plain, aad)


def _seal(public, body):
    """The file that holds a batch sealed to the install whose public key this is."""
    return SEALED_FIRST_LINE + _hpke_seal(public, SPOOL_INFO, b"", body)


# Profiles, on the workers


# What stands between two lines that name a part is sent to the workers as text. The helper uses no more of this file than
# these modules; the scheduler merges with the same tables.
PROFILE_IMPORTS = "import asyncio, json, linecache, os, sys, time, zlib\nfrom collections import defaultdict\nimport distributed\n"


# <on workers: loader>
def bobbin_profile(dask_worker, text, code):
    """Called on a worker, once for each plugin that comes to the scheduler."""
    try:
        names = {}
        exec(compile(text, "bobbin_profile.py", "exec", 0, True), names)
        names["_put_helper"](dask_worker, code)
    except Exception as error:
        dask_worker.log_event("bobbin-profile", {"refused": "%s: %s" % (type(error).__name__, error)})


# </on workers: loader>


# <on workers: helper>
PROFILE_NAME = "bobbin-profile"
# Of one prefix in one pull, and in one record.
STACKS = 20000
FRAMES = 20000
FRAME_BYTES = 512
# Lines of code: of one node of Dask's tree, and of one pull or record. Samples at others count for the function's other lines,
# whose number is 0.
NODE_LINES = 64
LINES = 20000
# Lines of a packed profile have so many entries: a few milliseconds to read.
LINE_ENTRIES = 1000
# Nodes that are looked at in one go: 2 milliseconds.
SLICE_NODES = 1000
TEARDOWN_SECONDS = 0.3
# A helper that nobody asked for so long belongs to a plugin that is gone.
FORGOTTEN_SECONDS = 3600.0
SAMPLER = distributed.profile.process.__code__


class _Children(dict):
    """The children of a node in a profile of Dask's. Dask counts a sample in every frame of its stack but the innermost; here
    each frame that Dask asks for is counted, and what it did not count itself ended there."""

    __slots__ = ()

    def __getitem__(self, identifier):
        node = dict.__getitem__(self, identifier)
        if sys._getframe(1).f_code is SAMPLER:
            node["seen"] += 1
        return node

    def __setitem__(self, identifier, node):
        node["seen"] = 1
        node["children"] = type(self)()
        dict.__setitem__(self, identifier, node)


class _LineChildren(_Children):
    """The same where code is on: counts in each node, too, at which lines its function was. Dask makes one node of a
    function."""

    __slots__ = ()

    def __getitem__(self, identifier):
        node = dict.__getitem__(self, identifier)
        caller = sys._getframe(1)
        if caller.f_code is SAMPLER:
            node["seen"] += 1
            _count_line(node, caller)
        return node

    def __setitem__(self, identifier, node):
        _Children.__setitem__(self, identifier, node)
        # Samples in which it called something, and those that ended in it.
        node["lines"] = ({}, {})
        _count_line(node, sys._getframe(1))


def _count_line(node, sampler):
    """Dask's sampler, as it runs, has a sampled frame as `frame`, and the one that it called, if any, as `child`."""
    try:
        names = sampler.f_locals
        line = names["frame"].f_lineno or 0
        lines = node["lines"][not isinstance(names["child"], type(sampler))]
        if line not in lines and len(lines) >= NODE_LINES:
            line = 0
        lines[line] = lines.get(line, 0) + 1
    except Exception:
        # Where frames are something else, there are no lines. Dask's sampler goes on.
        pass


def _counting_root(code):
    return dict(distributed.profile.create(), children=_LineChildren() if code else _Children())


def _frame_text(text):
    text = text if isinstance(text, str) else str(text)
    return text if len(text) * 4 <= FRAME_BYTES else text.encode("utf-8", "replace")[:FRAME_BYTES].decode("utf-8", "ignore")


class _ProfileFrames:
    """Functions, each once: name, file, first line, and the text of the line that was first seen running. And lines of theirs,
    each once: the number of the function, the line, and its text."""

    def __init__(self, code):
        self.code = code
        self.home = os.path.expanduser("~") + os.sep
        self.rows = []
        self.by_row = {}
        self.by_identifier = {}
        self.forget_lines()

    def forget_lines(self):
        self.lines = []
        self.by_line = {}

    def of(self, identifier, description):
        """The number of Dask's frame; null when there are too many."""
        number = self.by_identifier.get(identifier)
        if number is None:
            first = str(identifier).rpartition(";")[2]
            first = int(first) if first.isdigit() else None
            file = _frame_text(description.get("filename") or "")
            if len(self.home) > 4 and file.startswith(self.home):
                file = "~" + os.sep + file[len(self.home) :]
            text = _frame_text((description.get("line") or "").strip()) if self.code else ""
            number = self.number([_frame_text(description.get("name") or ""), file, first, text or None])
            if number is not None:
                self.by_identifier[identifier] = number
        return number

    def number(self, row):
        key = (row[0], row[1], row[2])
        number = self.by_row.get(key)
        if number is None and len(self.rows) < FRAMES:
            number = self.by_row[key] = len(self.rows)
            self.rows.append(row)
        return number

    def line(self, frame, line, text):
        """The number of a line of a function. `text` gives its text, and is called for a line that is new."""
        number = self.by_line.get((frame, line))
        if number is None and line and len(self.lines) >= LINES:
            return self.line(frame, 0, text)
        if number is None:
            number = self.by_line[frame, line] = len(self.lines)
            self.lines.append([frame, line, text() if line else None])
        return number

    def folded(self, lines, most):
        """The lines of a table that have most samples; the others' are those of the function's other lines."""
        heaviest = sorted(lines, key=lambda number: -lines[number][1])
        folded = {number: lines[number] for number in heaviest[:most]}
        for number in heaviest[most:]:
            counts = folded.setdefault(self.line(self.lines[number][0], 0, None), [0, 0])
            counts[0] += lines[number][0]
            counts[1] += lines[number][1]
        return folded


def _line_text(file, line):
    """As Python has it in memory, where Dask's sampler has had it looked up for this function; else of its file."""
    try:
        return _frame_text(linecache.getline(file, line).strip()) or None
    except Exception:
        return None


class _ProfileTable:
    """Samples by stack. A stack is the place of its caller, -1 for none, and a frame; callers come before the called."""

    __slots__ = ("places", "parents", "frames", "ended", "unattributed", "lines", "outermost")

    def __init__(self):
        self.places = {}
        self.parents = []
        self.frames = []
        # Samples that ended in the stack's last frame; those of which that is not known.
        self.ended = []
        self.unattributed = 0
        # By the number of a line: samples that ended at it, and those that were at it or in what it called.
        self.lines = {}
        # Whether the function of a stack is nowhere above, as far as that was asked.
        self.outermost = {}

    def place(self, parent, frame, most=STACKS):
        """The stack's place; null when there are too many."""
        key = (parent + 1) * FRAMES + frame
        place = self.places.get(key)
        if place is None and len(self.parents) < most:
            place = self.places[key] = len(self.parents)
            self.parents.append(parent)
            self.frames.append(frame)
            self.ended.append(0)
        return place

    def add(self, tree, frames):
        """Merges a tree of Dask's; yields now and then, so that others get their turn.

        `count` of a node says how many samples went on into its children. In which of them they ended is known where that
        was counted, or where there is one child. Else each child from which nothing went on has one at least, and the rest
        stays open."""
        steps, todo = 0, [(tree, -1)]
        while todo:
            node, place = todo.pop()
            children = node["children"]
            rest = node["count"] - sum(child["count"] for child in children.values())
            alone = len(children) == 1
            for identifier, child in children.items():
                deeper = child["count"]
                seen = child.get("seen")
                if seen is not None:
                    ended = seen - deeper
                elif alone:
                    ended = rest
                else:
                    ended = 1 if not deeper and rest > 0 else 0
                rest -= ended
                frame = frames.of(identifier, child["description"])
                inner = None if frame is None else self.place(place, frame)
                if inner is None:
                    self.unattributed += ended + deeper
                    continue
                self.ended[inner] += ended
                if frames.code and "lines" in child:
                    self.add_lines(child, inner, frames)
                if deeper:
                    todo.append((child, inner))
            self.unattributed += max(rest, 0)
            steps += 1 + len(children)
            if steps >= SLICE_NODES:
                steps = 0
                yield

    def add_lines(self, node, place, frames):
        """A function that calls itself counts a sample once: where it is outermost."""
        outermost = self.outermost.get(place)
        if outermost is None:
            outermost = self.outermost[place] = self.is_outermost(place)
        frame, file = self.frames[place], node["description"].get("filename") or ""
        passed, ended = node["lines"]
        for line, count in passed.items():
            if outermost:
                self.add_line(frames.line(frame, line, lambda: _line_text(file, line)), 0, count)
        for line, count in ended.items():
            number = frames.line(frame, line, lambda: _line_text(file, line))
            self.add_line(number, count, count if outermost else 0)

    def add_line(self, number, ended, samples):
        counts = self.lines.setdefault(number, [0, 0])
        counts[0] += ended
        counts[1] += samples

    def is_outermost(self, place):
        frame, above = self.frames[place], self.parents[place]
        while above >= 0:
            if self.frames[above] == frame:
                return False
            above = self.parents[above]
        return True


class _ProfilePack:
    """Some cycles of one worker, merged by prefix."""

    def __init__(self, code):
        self.frames = _ProfileFrames(code)
        self.tables = {}
        self.start = self.stop = None
        self.late = False

    def add(self, before, cycle):
        at, trees = cycle
        self.start = before if self.start is None else self.start
        self.stop = at
        for prefix, tree in trees.items():
            if tree["count"]:
                table = self.tables.get(prefix)
                if table is None:
                    table = self.tables[prefix] = _ProfileTable()
                for _ in table.add(tree, self.frames):
                    yield

    def lines(self, sample_micros):
        yield {"from": self.start, "to": self.stop, "late": self.late, "sample_micros": sample_micros}
        rows = self.frames.rows
        for at in range(0, len(rows), LINE_ENTRIES):
            yield rows[at : at + LINE_ENTRIES]
        lines = self.frames.lines
        for at in range(0, len(lines), LINE_ENTRIES):
            yield {"lines": lines[at : at + LINE_ENTRIES]}
        for prefix, table in self.tables.items():
            yield {"prefix": prefix and _frame_text(prefix), "unattributed": table.unattributed}
            for at in range(0, len(table.parents), LINE_ENTRIES):
                to = at + LINE_ENTRIES
                yield {"parents": table.parents[at:to], "frames": table.frames[at:to], "ended": table.ended[at:to]}
            counts = [[number, *both] for number, both in table.lines.items()]
            for at in range(0, len(counts), LINE_ENTRIES):
                yield {"counts": counts[at : at + LINE_ENTRIES]}

    def bytes(self, sample_micros):
        """Yields null now and then, and the bytes at last."""
        packer, parts = zlib.compressobj(), []
        for line in self.lines(sample_micros):
            parts.append(packer.compress(json.dumps(line, separators=(",", ":")).encode() + b"\n"))
            yield None
        parts.append(packer.flush())
        yield b"".join(parts)


class _WorkerProfile:
    """Lives on a worker. Gives each cycle of its profile away once: an answer that the scheduler does not know of yet is
    given again, before another one is made."""

    def __init__(self, worker, code, last):
        self.worker = worker
        self.code = code
        self.last = last
        self.serial = 0
        self.answer = b""
        self.busy = False
        self.ended = False
        self.asked = time.monotonic()
        callback = worker.periodic_callbacks.get("profile")
        self.sample_micros = 10000 if callback is None else max(round(callback.callback_time * 1000), 1)

    def _new(self, until):
        """Cycles that were not given away yet, by the scheduler's clock up to `until`; all and the open one if that is null."""
        new, found = [], self.last is None
        for cycle in reversed(list(self.worker.profile_keys_history)):
            if cycle is self.last:
                found = True
                break
            if until is None or cycle[0] <= until:
                new.append(cycle)
        new.reverse()
        pack = _ProfilePack(self.code)
        pack.late = not found
        return pack, new

    def _open(self):
        return (time.time() + self.worker.scheduler_delay, dict(self.worker.profile_keys))

    def _before(self, cycle):
        return cycle[0] - 1.0 if self.last is None else self.last[0]

    async def pull(self, comm=None, serial=None, until=None, **_):
        self.asked = time.monotonic()
        if self.ended or self.busy:
            return {"serial": serial, "data": b""}
        if serial == self.serial:
            self.busy = True
            try:
                data, last = await self._pull(until)
            finally:
                self.busy = False
            if self.ended:
                return {"serial": serial, "data": b""}
            self.serial, self.answer, self.last = self.serial + 1, data, last
            self.ended = until is None
        return {"serial": self.serial, "data": self.answer}

    async def _pull(self, until):
        pack, new = self._new(until)
        last = new[-1] if new else self.last
        if until is None:
            new.append(self._open())
        for cycle in new:
            for _ in pack.add(self._before(cycle), cycle):
                await asyncio.sleep(0)
        if not pack.tables and not pack.late:
            return b"", last
        for data in pack.bytes(self.sample_micros):
            if data is None:
                await asyncio.sleep(0)
        return data, last

    def teardown(self, worker=None):
        """The worker ends: what is left goes as an event. Also called for a worker that is told to forget its plugins."""
        self.tell_the_rest()

    def tell_the_rest(self, **_):
        """Also called when the scheduler ends and can make no connection: by a message on the stream that it has."""
        try:
            if self.ended or time.monotonic() - self.asked > FORGOTTEN_SECONDS:
                return
            self.ended = True
            end = time.monotonic() + TEARDOWN_SECONDS
            pack, new = self._new(None)
            for cycle in new + [self._open()]:
                if time.monotonic() > end:
                    pack.late = True
                    break
                for _ in pack.add(self._before(cycle), cycle):
                    pass
            *_, data = pack.bytes(self.sample_micros)
            left = {"serial": self.serial, "answer": self.answer, "data": data if pack.tables or pack.late else b""}
            self.worker.log_event(PROFILE_NAME, left)
        except Exception:
            # A worker ends whatever becomes of its profile.
            pass


def _put_helper(dask_worker, code):
    earlier = dask_worker.plugins.get(PROFILE_NAME)
    last = None if earlier is None else earlier.last
    if earlier is not None:
        earlier.ended = True
    helper = _WorkerProfile(dask_worker, code, last)
    if isinstance(dask_worker.profile_keys, defaultdict):
        dask_worker.profile_keys = defaultdict(lambda: _counting_root(code), dask_worker.profile_keys)
    dask_worker.handlers["bobbin_profile"] = helper.pull
    dask_worker.stream_handlers[PROFILE_NAME] = helper.tell_the_rest
    dask_worker.plugins[PROFILE_NAME] = helper


# </on workers: helper>


# Profiles, in the outbox: workers are merged by prefix, and become records


# What is kept while one interval is merged; more is thinned to half.
PROFILE_STACKS = 100000
PROFILE_PREFIXES = 500
PROFILE_BYTES = 64 * 1024 * 1024
PROFILE_LINES = 100000


def _unpacked(data):
    """The lines of a packed profile, one after another."""
    unpacker, rest, size, count = zlib.decompressobj(), b"", 0, 0
    while data or unpacker.unconsumed_tail:
        part = unpacker.decompress(unpacker.unconsumed_tail or data, 256 * 1024)
        data = b""
        size += len(part)
        *lines, rest = (rest + part).split(b"\n")
        count += len(lines)
        if size > PROFILE_BYTES or count > PROFILE_LINES:
            raise ValueError("a profile is too large")
        for line in lines:
            yield json.loads(line)


def _thinned(table, most):
    """The table with its heaviest stacks; the samples of the others are not attributed."""
    totals = list(table.ended)
    for place in range(len(totals) - 1, -1, -1):
        if table.parents[place] >= 0:
            totals[table.parents[place]] += totals[place]
    # A caller is at least as heavy as what it called, and comes first: whoever stays, its callers stay.
    room, least = most, 0
    for least, stacks in sorted(Counter(totals).items(), reverse=True):
        if stacks >= room:
            break
        room -= stacks
    thin, moved = _ProfileTable(), {-1: -1}
    thin.unattributed, thin.lines = table.unattributed, table.lines
    for place, total in enumerate(totals):
        if total > least or (total == least and room > 0):
            room -= total == least
            moved[place] = thin.place(moved[table.parents[place]], table.frames[place])
            thin.ended[-1] = table.ended[place]
        else:
            thin.unattributed += table.ended[place]
    return thin


class _ProfilePart(tuple):
    """What a worker gave, or the end of an interval: the name of a method of `_ProfileMerge`, and its arguments."""

    __slots__ = ()


class _ProfileMerge:
    """The thread's own. `seconds`, `bytes` and `same` are read by the event loop: plain values."""

    def __init__(self, settings, clock, breathe=lambda: None):
        self.code = settings.code
        self.clock = clock
        self.breathe = breathe
        self.frames = _ProfileFrames(settings.code)
        self.tables = {}
        self.sample_micros = 10000
        self.start = None
        self.late = 0
        self.stacks = None
        self.seconds = 0.0
        self.bytes = 0
        self.same = None

    def take(self, what, *arguments):
        """Merges what one worker gave, or ends the interval; yields rows of the outbox."""
        start = time.thread_time()
        try:
            yield from getattr(self, "_" + what)(*arguments) or ()
        finally:
            self.seconds += time.thread_time() - start

    def _pack(self, data):
        self.bytes += len(data)
        self._merge(_unpacked(data))

    def _tree(self, start, stop, tree, sample_micros):
        """As Dask itself gives it, for all tasks together."""
        pack = _ProfilePack(self.code)
        for _ in pack.add(start, (stop, {None: tree})):
            self.breathe()
        self._merge(pack.lines(sample_micros))

    def _table(self, prefix):
        if prefix not in self.tables and len(self.tables) >= PROFILE_PREFIXES:
            prefix = None
        table = self.tables.get(prefix)
        if table is None:
            table = self.tables[prefix] = _ProfileTable()
        return table

    def _merge(self, lines):
        lines = iter(lines)
        head = next(lines)
        self.late += bool(head["late"])
        self.sample_micros = head["sample_micros"]
        if head["from"] is not None:
            self.start = head["from"] if self.start is None else min(self.start, head["from"])
        numbers, at_lines, places, table = [], [], [], None
        for line in lines:
            self.breathe()
            if isinstance(line, list):
                numbers.extend(self.frames.number(row if self.code else row[:3] + [None]) for row in line)
            elif "lines" in line:
                at_lines.extend(self._line(numbers[frame], at, text) for frame, at, text in line["lines"])
            elif "counts" in line:
                for number, ended, samples in line["counts"]:
                    if self.code and at_lines[number] is not None:
                        table.add_line(at_lines[number], ended, samples)
            elif "prefix" in line:
                table, places = self._table(line["prefix"]), []
                table.unattributed += line["unattributed"]
            else:
                self._join(table, places, zip(line["parents"], line["frames"], line["ended"]), numbers)
        for prefix, table in self.tables.items():
            if len(table.parents) > STACKS * 3 // 2:
                self.tables[prefix] = _thinned(table, STACKS)
        if sum(len(table.parents) for table in self.tables.values()) > PROFILE_STACKS:
            for prefix, table in self.tables.items():
                self.tables[prefix] = _thinned(table, len(table.parents) // 2)
        if sum(len(table.lines) for table in self.tables.values()) > PROFILE_STACKS:
            for table in self.tables.values():
                table.lines = self.frames.folded(table.lines, len(table.lines) // 2)

    def _line(self, frame, line, text):
        """The number of a line here; null where there is no room for its function."""
        return None if frame is None else self.frames.line(frame, line, lambda: text)

    def _join(self, table, places, stacks, numbers):
        """`places` has for each stack of the worker its place here, null where there was no room."""
        for parent, frame, ended in stacks:
            outer, number = -1 if parent < 0 else places[parent], numbers[frame]
            place = None if outer is None or number is None else table.place(outer, number, 2 * STACKS)
            places.append(place)
            if place is None:
                table.unattributed += ended
            else:
                table.ended[place] += ended

    def _end(self, since, stop, whole):
        """A record for each prefix that was seen running since the last interval ended."""
        if since is None:
            since = min(_micros(self.start) or stop, stop)
        at = self.clock.now()
        for prefix, table in self.tables.items():
            if len(table.parents) > STACKS:
                table = _thinned(table, STACKS)
            if table.unattributed or any(table.ended):
                yield "profile", None, self._record(at, since, stop, prefix, table)
        if self.late:
            record = {"kind": "dropped", "at_micros": at, "what": "worker_profile", "count": self.late, "reason": "too_late"}
            yield "dropped", None, record
        self._compare(whole)
        self.tables, self.late, self.start = {}, 0, None
        self.frames.forget_lines()
        if len(self.frames.rows) > FRAMES // 2:
            self.frames, self.stacks = _ProfileFrames(self.code), None

    def _compare(self, whole):
        """Notes whether the whole cluster was seen in the same stacks as the last time."""
        total = count = 0
        for prefix, table in self.tables.items():
            marks = []
            for parent, frame in zip(table.parents, table.frames):
                marks.append(hash((prefix if parent < 0 else marks[parent], frame)))
            total, count = total + sum(marks), count + len(marks)
        stacks = (total, count) if whole and count else None
        self.same = None if stacks is None or self.stacks is None else stacks == self.stacks
        self.stacks = stacks

    def _record(self, at, since, stop, prefix, table):
        strings, numbers = {}, {}
        names, files, lines, texts, frames = [], [], [], [], []

        def text(string):
            return strings.setdefault(string, len(strings))

        for frame in table.frames:
            if frame not in numbers:
                numbers[frame] = len(numbers)
                name, file, line, source = self.frames.rows[frame]
                names.append(text(name))
                files.append(text(file))
                lines.append(line)
                texts.append(None if source is None else text(source))
            frames.append(numbers[frame])
        ends = [place for place, count in enumerate(table.ended) if count]
        # Of what was thinned no function is left.
        counted = {number: both for number, both in table.lines.items() if self.frames.lines[number][0] in numbers}
        counted = sorted(self.frames.folded(counted, LINES).items())
        places = [self.frames.lines[number] for number, _ in counted]
        by_line = {
            "frame": [numbers[frame] for frame, _, _ in places],
            "line": [line or None for _, line, _ in places],
            "text": [None if source is None else text(source) for _, _, source in places],
            "ended": [ended for _, (ended, _) in counted],
            "samples": [samples for _, (_, samples) in counted],
        }
        return {
            "kind": "profile",
            "at_micros": at,
            "from_micros": since,
            "to_micros": stop,
            "prefix": _optional_name(prefix),
            "samples": sum(table.ended) + table.unattributed,
            "sample_micros": self.sample_micros,
            "unattributed": table.unattributed,
            "strings": list(strings),
            "frames": {"name": names, "file": files, "line": lines, "text": texts},
            "stacks": {"parent": table.parents, "frame": frames},
            "leaves": {"stack": ends, "count": [table.ended[place] for place in ends]},
            **({"lines": by_line} if counted else {}),
        }


def _encode_long(value):
    """As `_encode`, a piece at a time: one call holds the interpreter's lock from beginning to end."""
    if isinstance(value, dict):
        return b"{" + b",".join(_encode(key) + b":" + _encode_long(part) for key, part in value.items()) + b"}"
    if isinstance(value, list) and len(value) > LINE_ENTRIES:
        pieces = (value[at : at + LINE_ENTRIES] for at in range(0, len(value), LINE_ENTRIES))
        return b"[" + b",".join(_encode(piece)[1:-1] for piece in pieces) + b"]"
    return _encode(value)


# What waits: lines in a queue that is bounded by bytes, and the numbered batches that are made of them


# Which lines go first when there are too many: a profile's parts before its whole, samples, and what was lost, which is then
# told again in one; events; what a later record of the same thing tells again; and last what is told once. Exceptions never go:
# there is one record of each kind of failure, and there are at most `FAILURES`.
WORTHS = {"sample": 2, "dropped": 2, "event": 3, "task_group": 4, "computation": 4, "metric": 4, "span": 4, "exception": 6}
TOLD_ONCE = 5
KEPT = 6


def _worth(record):
    kind = record["kind"]
    if kind == "profile":
        return 0 if record.get("prefix") is not None else 1
    if record.get("final") or record.get("code"):
        return TOLD_ONCE
    return WORTHS.get(kind, TOLD_ONCE)


def _row_is_told_once(kind, key, row):
    if kind == "task_group":
        return row[-1]
    if kind == "computation":
        return bool(row.get("code"))
    return kind != "profile" and WORTHS.get(kind, TOLD_ONCE) == TOLD_ONCE


def _holds_text(record):
    """Whether a record has code or words of the user's: those go to the disk only sealed."""
    if any(record.get(field) is not None for field in ("code", "message", "traceback", "details", "payload")):
        return True
    parts = (record.get("frames"), record.get("lines"))
    return any(isinstance(part, dict) and any(text is not None for text in part.get("text") or ()) for part in parts)


def _without_source(text):
    """The line of a profile without the source of the user's."""
    record = json.loads(text.decode("utf-8"))
    frames = record["frames"]
    named = set(frames["name"]).union(frames["file"])
    record["strings"] = [string if place in named else "" for place, string in enumerate(record["strings"])]
    for part in (frames, record.get("lines")):
        if part is not None:
            part["text"] = [None] * len(part["text"])
    return _encode_long(record)


class _Line:
    """A record. `bare` is what may be written down of one that holds text, as it is in memory only: a failure without its words."""

    __slots__ = ("serial", "kind", "worth", "text", "bare")

    def __init__(self, serial, kind, worth, text, bare=None):
        self.serial, self.kind, self.worth, self.text, self.bare = serial, kind, worth, text, bare


class _Queue:
    """Lines without numbers, in the order in which they came. `bytes` is the size of those that may be shed: at most `QUEUE_BYTES`
    of them; twice that of those told once. Exceptions stay, however much there is."""

    def __init__(self, lose):
        self.lose = lose
        self.shelves = tuple(OrderedDict() for _ in range(KEPT + 1))
        self.bytes = 0

    def __len__(self):
        return sum(len(shelf) for shelf in self.shelves)

    def add(self, key, line):
        # A later record of the same thing holds all of the earlier one.
        place = line.serial if key is None else (line.kind, key)
        if key is not None:
            self.remove(place)
        self.shelves[line.worth][place] = line
        if line.worth < KEPT:
            self.bytes += len(line.text) + LINE_BYTES
        for worth, shelf in enumerate(self.shelves[:KEPT]):
            while shelf and self.bytes > (QUEUE_BYTES if worth < TOLD_ONCE else 2 * QUEUE_BYTES):
                self.lose(self._pop(shelf), "queue_full")

    def remove(self, place):
        for shelf in self.shelves:
            if place in shelf:
                return self._pop(shelf, place)
        return None

    def _pop(self, shelf, place=None):
        line = shelf.popitem(last=False)[1] if place is None else shelf.pop(place)
        if line.worth < KEPT:
            self.bytes -= len(line.text) + LINE_BYTES
        return line

    def oldest(self):
        return min((next(iter(shelf.values())).serial for shelf in self.shelves if shelf), default=None)

    def lines(self):
        """All, those that would go first at the front."""
        return [line for shelf in self.shelves for line in shelf.values()]

    def take(self, order=lambda line: line.serial, most=KEPT):
        """The first lines by an order, as many as a batch has room for, worth `most` at most."""
        chosen, size = [], 0
        for place, line in sorted(
            (item for shelf in self.shelves[: most + 1] for item in shelf.items()), key=lambda item: order(item[1])
        )[:BATCH_RECORDS]:
            if size >= BATCH_BYTES:
                break
            chosen.append(self._pop(self.shelves[line.worth], place))
            size += len(line.text)
        return chosen


def _spool_order(line):
    """What would be shed first stands at the front, so that the rest of a batch keeps its numbers."""
    return line.worth, line.serial


def _last_words_order(line):
    """What matters most, and of that the newest: there may be no time for all."""
    return -line.worth, -line.serial


class _Batch:
    """Numbered lines, packed; in memory, in a file of the spool, or both. Once it was sent it stays as it is, so that it may be
    sent any number of times."""

    __slots__ = ("instance_id", "first_seq", "records", "kinds", "told", "least", "holds_text", "body", "name", "sent", "faults", "misread")

    def __init__(self, instance_id, first_seq, lines, holds_text, body):
        self.instance_id, self.first_seq, self.holds_text, self.body = instance_id, first_seq, holds_text, body
        self.name = None
        self.sent = False
        # How often the receiver failed with it, and how often the disk did.
        self.faults = self.misread = 0
        self.count(lines)

    def count(self, lines):
        self.records = len(lines)
        self.kinds = Counter(line.kind for line in lines)
        self.told = _told_losses(lines)
        self.least = min((line.worth for line in lines), default=TOLD_ONCE)


def _told_losses(lines):
    """What the `dropped` records among them tell, by (what, reason)."""
    told = Counter()
    for line in lines:
        if line.kind == "dropped":
            record = json.loads(line.text.decode("utf-8"))
            told[record["what"], record["reason"]] += record["count"]
    return told


def _unpack(body, breathe):
    """The lines of a batch; lets the event loop go on in between."""
    lines = []
    for text in gzip.decompress(body).split(b"\n")[1:-1]:
        record = json.loads(text.decode("utf-8"))
        lines.append(_Line(0, record["kind"], _worth(record), text))
        breathe()
    return lines


# The spool: batches on the disk while no receiver answers


# Descriptors that a process forked off this one must not keep: it would hold the lock when this one is gone.
_SPOOLS = weakref.WeakSet()


def _forget_spools():
    for spool in list(_SPOOLS):
        spool.let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_spools)


def _folder(name, within=None):
    """Opens a folder that belongs to this user and that nobody else can write to."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | (0 if within is None else os.O_NOFOLLOW)
    folder = os.open(name, flags, dir_fd=within)
    found = os.fstat(folder)
    if found.st_uid != os.geteuid() or found.st_mode & 0o022:
        os.close(folder)
        raise PermissionError(errno.EPERM, "other users can access the folder", name)
    return folder


def _stem(cluster_id, instance_id):
    return re.sub(r"[^A-Za-z0-9._-]", "_", "%s-%s" % (cluster_id[:150], instance_id))


class _Spool:
    """Files in a folder of this instance, which nobody else can read or take: made exclusively, reached by descriptors, so that
    no link leads elsewhere. Whoever can lock its file `lock` finds the plugin gone and may take the batches. Any OSError
    means that they stay in memory."""

    def __init__(self, settings, cluster_id, instance_id):
        self.limit = settings.spool_limit if fcntl is not None and settings.destination != "file" else 0
        self.settings = settings
        self.data_dir = _data_dir(settings)
        self.stem = _stem(cluster_id, instance_id)
        self.parent = self.folder = self.lock = None
        self.sizes = {}
        self.bytes = 0
        _SPOOLS.add(self)

    def put(self, name, body):
        """Writes a file whole or not at all."""
        if self.folder is None:
            self._open()
        part = name + ".part"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            file = os.open(part, flags, 0o600, dir_fd=self.folder)
            try:
                rest = memoryview(body)
                while rest:
                    rest = rest[os.write(file, rest) :]
            finally:
                os.close(file)
            os.rename(part, name, src_dir_fd=self.folder, dst_dir_fd=self.folder)
        except OSError:
            self._unlink(part)
            raise
        self._count(name, -(-len(body) // 4096) * 4096)

    def read(self, name):
        return _read_within(self.folder, name)

    def remove(self, name):
        self._count(name, 0)
        self._unlink(name)

    def _unlink(self, name):
        try:
            os.unlink(name, dir_fd=self.folder)
        except FileNotFoundError:
            pass

    def _count(self, name, size):
        """A file takes whole blocks of the disk."""
        self.bytes += size - self.sizes.pop(name, 0)
        if size:
            self.sizes[name] = size

    def _open(self):
        os.makedirs(self.data_dir, mode=0o700, exist_ok=True)
        try:
            top = _folder(self.data_dir)
            try:
                try:
                    os.mkdir("spool", 0o700, dir_fd=top)
                except FileExistsError:
                    pass
                self.parent = _folder("spool", top)
            finally:
                os.close(top)
            os.fchmod(self.parent, 0o700)
            try:
                os.mkdir(self.stem, 0o700, dir_fd=self.parent)
            except FileExistsError:
                # It could not be removed when it was empty.
                pass
            self.folder = _folder(self.stem, self.parent)
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            self.lock = os.open("lock", flags, 0o600, dir_fd=self.folder)
            self._take_lock()
            os.write(self.lock, _meant_for(self.settings))
            self._clear_others()
        except OSError:
            self.close()
            raise

    def _take_lock(self):
        for patience in range(25, -1, -1):
            try:
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                # Whoever looks whether a plugin is gone has it for a moment.
                if not patience:
                    raise
                time.sleep(0.02)
        if not os.fstat(self.lock).st_nlink:
            raise OSError(errno.ESTALE, "another user took the folder while it was being created")

    def _clear_others(self):
        """Where nobody ever takes in what schedulers leave, the oldest of it goes. How little this one may keep is no limit for them."""
        sizes = []
        for stem in os.listdir(self.parent):
            try:
                folder = _folder(stem, self.parent)
            except OSError:
                continue
            try:
                found = [os.stat(name, dir_fd=folder, follow_symlinks=False) for name in os.listdir(folder)]
                sizes.append((os.fstat(folder).st_mtime, sum(file.st_blocks * 512 for file in found), stem))
            except OSError:
                logger.debug("Bobbin cannot look into %s", stem, exc_info=True)
            finally:
                os.close(folder)
        left = room = SPOOLS * max(self.limit, SPOOL_BYTES)
        removed = []
        for _, size, stem in sorted(sizes, reverse=True):
            left -= size
            if left < 0 and stem != self.stem and _remove_if_dead(stem, self.parent):
                removed.append(size)
        if removed:
            logger.warning(
                "Bobbin: removed %d bytes that %d earlier schedulers left and no Bobbin took in: the spool keeps %d bytes of them.",
                sum(removed),
                len(removed),
                room,
            )

    def close(self):
        """Lets go of the folder, and removes it if it is empty."""
        try:
            if self.folder is not None and not self.sizes:
                if self.lock is not None:
                    os.unlink("lock", dir_fd=self.folder)
                    # On NFS a file that is open stays in its folder under another name.
                    lock, self.lock = self.lock, None
                    os.close(lock)
                os.rmdir(self.stem, dir_fd=self.parent)
        except OSError:
            logger.debug("Bobbin's spool folder stays", exc_info=True)
        self.let_go()

    def let_go(self):
        for descriptor in (self.lock, self.folder, self.parent):
            if descriptor is not None:
                os.close(descriptor)
        self.parent = self.folder = self.lock = None


def _meant_for(settings):
    """What the lock of a spool says: which receiver its batches are for. Empty for the Bobbin of this machine."""
    return urlsplit(settings.receiver or "").netloc.encode("utf-8", "replace")[:1024]


def _remove_if_dead(stem, parent):
    """Removes the folder of a scheduler that is gone. Whether it did."""
    try:
        folder = _folder(stem, parent)
        try:
            lock = os.open("lock", os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for name in os.listdir(folder):
                    os.unlink(name, dir_fd=folder)
            finally:
                os.close(lock)
            os.rmdir(stem, dir_fd=parent)
        finally:
            os.close(folder)
        return True
    except OSError:
        logger.debug("Bobbin cannot remove %s", stem, exc_info=True)
        return False


def _read_within(folder, name):
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    with open(file, "rb") as file:
        return file.read()


class _LeftOver:
    """Batches in the spools of schedulers that are gone and had the same receiver, one after the other."""

    def __init__(self, own):
        self.own = own
        self.stems = None
        self.names = []
        self.stem = self.instance_id = None
        self.parent = self.folder = self.lock = None
        _SPOOLS.add(self)

    def next(self):
        """The next batch, or none where there is no more. `done` goes on from it."""
        while fcntl is not None and (self.names or self._next_folder()):
            match = SPOOLED.match(self.names[0])
            try:
                body = _read_within(self.folder, self.names[0])
            except OSError:
                self.done(False)
                continue
            return _Batch(self.instance_id, int(match.group(1)), [], match.group(2) == "sealed", body)
        return None

    def done(self, remove):
        name = self.names.pop(0)
        if remove:
            os.unlink(name, dir_fd=self.folder)

    def _next_folder(self):
        try:
            if self.stems is None:
                top = _folder(self.own.data_dir)
                try:
                    self.parent = _folder("spool", top)
                finally:
                    os.close(top)
                self.stems = sorted(os.listdir(self.parent), reverse=True)
        except OSError:
            # Nobody left anything.
            return False
        while True:
            self._leave()
            if not self.stems:
                return False
            self.stem = self.stems.pop()
            if self.stem == self.own.stem:
                continue
            try:
                self.folder = _folder(self.stem, self.parent)
                self.lock = os.open("lock", os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self.folder)
                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.read(self.lock, 1024) != _meant_for(self.own.settings):
                    self.let_go()
                    continue
                self.names = sorted(name for name in os.listdir(self.folder) if SPOOLED.match(name))
            except OSError:
                # Of a scheduler that lives.
                self.let_go()
                continue
            self.instance_id = self.stem.rpartition("-")[2]
            if self.names:
                return True

    def _leave(self):
        """Lets go of the folder; one without batches goes."""
        try:
            if self.lock is not None:
                left = os.listdir(self.folder)
                if all(name == "lock" or name.endswith(".part") for name in left):
                    for name in left:
                        os.unlink(name, dir_fd=self.folder)
                    # On NFS a file that is open stays in its folder under another name.
                    lock, self.lock = self.lock, None
                    os.close(lock)
                    os.rmdir(self.stem, dir_fd=self.parent)
        except OSError:
            logger.debug("Bobbin cannot remove a spool folder", exc_info=True)
        self.let_go()

    def let_go(self):
        for descriptor in (self.lock, self.folder):
            if descriptor is not None:
                os.close(descriptor)
        self.folder = self.lock = None

    def close(self):
        self._leave()
        if self.parent is not None:
            os.close(self.parent)
        self.parent = self.stems = None
        self.names = []
        self.names = []


def _public_key(data_dir):
    """The key to which this install's text is sealed; null where there is none."""
    path = os.path.join(data_dir, "public_key")
    try:
        text = _read_text(path)
        return bytes.fromhex(text) if _own_file(path) and PIN.match(text) else None
    except (OSError, ValueError):
        return None


# The outbox: rows come in from the event loop, and a thread of its own delivers them


class _Clock:
    """Wall clock at the start plus the monotonic time since: it never runs backwards. While a machine sleeps the monotonic
    time may stand still; what it missed is added when that is noticed."""

    def __init__(self):
        self.instance_id = uuid.uuid4().hex
        self.wall = round(time.time() * 1e6)
        self.start = time.monotonic()

    def now(self):
        return self.wall + self.monotonic()

    def catch_up(self):
        """Follows a jump of the wall clock by more than two seconds, never back. Returns its seconds."""
        missed = round(time.time() * 1e6) - self.now()
        if missed <= 2_000_000:
            return 0.0
        self.wall += missed
        return missed / 1e6

    def monotonic(self):
        return round((time.monotonic() - self.start) * 1e6)


class _Outbox:
    """Numbers lines and delivers them in order. While no receiver answers, what is not text goes to the spool at once, since a
    process may end without a word; text waits in memory, and goes to the spool sealed when the scheduler ends. Whatever is
    shed is counted and told. Exceptions are not: where their text can neither be delivered nor sealed, they go on without it."""

    def __init__(self, settings, cluster_id, clock, facts, mask, on_stop, on_watched):
        self.settings = settings
        self.cluster_id = _name(cluster_id)
        self.clock = clock
        self.facts = facts
        self.mask = mask
        self.on_stop, self.on_watched = on_stop, on_watched
        self.wake = threading.Condition()
        self.inbox = deque()
        # The latest row of each exception.
        self.failed = {}
        self.inbox_rows = 0
        self.closing = False
        # Nothing is gained by waiting on: all was delivered, or all is written down.
        self.settled = threading.Event()
        self.done = threading.Event()
        # Read by the event loop without a lock: plain numbers.
        self.sent_bytes = 0
        self.held = 0
        self.errors = 0
        self.shed_records = 0
        # Whether what is told of the cluster, and only where it changes, was lost: it is told again.
        self.cluster_lost = False
        self.failing_since = None
        self.sending_since = None
        # The thread's own.
        self.plain = _Queue(self._lose_line)
        self.text = _Queue(self._lose_text)
        self.serial = 0
        self.next_seq = 1
        self.batches = deque()
        self.shed = Counter()
        # What was told in records that were refused. It goes with whatever is sent next, and not by itself: a receiver that
        # refuses all would be told for ever that it refused to be told.
        self.untold = Counter()
        self.spool = _Spool(settings, cluster_id, clock.instance_id)
        self.profiles = _ProfileMerge(settings, clock, self._breathe)
        self.held_since = 0.0
        # The batch that would be made of the waiting lines is in the spool, too, under the next number.
        self.draft = None
        self.drafted = None
        self.spool_again, self.spool_wait = 0.0, SPOOL_AGAIN_SECONDS
        self.process = os.getpid()
        self.delay = 0.5
        self.next_try = 0.0
        self.give_up = self.seal_until = 0.0
        self.in_a_hurry = False
        self.left_over = _LeftOver(self.spool)
        self.adopt_at = math.inf
        # Whether one of those has to be tried again, behind the others.
        self.passed_over = False
        # The user's own random numbers stay as they are.
        self.random = random.Random()
        self.announced = False
        self.told = set()
        if settings.destination == "file":
            self.door = _File(settings, cluster_id, clock.instance_id)
        else:
            self.door = _Receiver(settings)
        self.seen = None
        self.thread = threading.Thread(target=self._run, name="bobbin-outbox", daemon=True)

    # Called on the event loop

    def offer(self, rows):
        """Takes rows (kind, key, row)."""
        if os.getpid() != self.process:
            # Forked off: there is no thread, and the lock may be held for ever.
            return
        with self.wake:
            self._put(rows)
        since = self.sending_since
        if since is not None and time.monotonic() - since > REQUEST_SECONDS:
            self.door.interrupt()

    def _put(self, rows):
        known = len(self.failed)
        self.failed.update((key, row) for kind, key, row in rows if kind == "exception")
        self.inbox_rows += len(self.failed) - known
        rows = [row for row in rows if row[0] != "exception"]
        room = INBOX_ROWS - self.inbox_rows
        if len(rows) > room:
            rows = self._fitting(rows, room)
        self.inbox.append(rows)
        self.inbox_rows += len(rows)
        self.wake.notify()

    def _fitting(self, rows, room):
        """Those of the rows that have room, since the thread is behind: that the cluster ended always, what is told once up to twice
        the room, before it the sample, whose sums cover the others, and of these what still fits. The rest is lost, and counted."""
        once = [place for place, row in enumerate(rows) if row[0] == "sample"][-1:]
        once += [place for place, row in enumerate(rows) if _row_is_told_once(*row)]
        kept = set(once[: max(room + INBOX_ROWS, 0)])
        others = set(range(len(rows))).difference(once)
        kept.update(sorted(others)[: max(room - len(kept), 0)])
        kept.update(place for place, row in enumerate(rows) if row[0] == "stop")
        for place, (kind, key, row) in enumerate(rows):
            if place in kept:
                continue
            if kind == "dropped":
                self.shed[row["what"], row["reason"]] += row["count"]
            else:
                self._lose("worker_profile" if isinstance(row, _ProfilePart) else kind, "queue_full")
        return [row for place, row in enumerate(rows) if place in kept]

    def close(self, rows=()):
        """Takes the last rows, sends what is there, beginning at once, and then ends."""
        if os.getpid() != self.process:
            return
        with self.wake:
            self._put(list(rows))
            self.closing = True
            self.delay = 0.1
            self.next_try = 0.0
            self.give_up = time.monotonic() + GIVE_UP_SECONDS
            self.seal_until = time.monotonic() + DRAIN_SECONDS - 0.5
            self.wake.notify()

    def hurry(self):
        """The scheduler's time is up: no answer is waited for any longer, and what was not delivered is written down."""
        with self.wake:
            self.in_a_hurry = True
            self.wake.notify()
        self.door.interrupt()

    def waiting(self):
        """Records that the receiver does not have yet."""
        return self.inbox_rows + self.held

    def silent(self):
        """Whether there is little hope for an answer soon."""
        since = self.sending_since
        return self.failing_since is not None or (since is not None and time.monotonic() - since > 2.0)

    # The thread

    def _run(self):
        wait = 0.5
        try:
            while True:
                try:
                    if not self._step():
                        break
                    wait = 0.5
                except Exception:
                    # The thread lives as long as its scheduler: what failed is counted and tried again, ever more slowly.
                    logger.debug("Bobbin's sender failed", exc_info=True)
                    self.errors += 1
                    if self.closing:
                        self.in_a_hurry = True
                        if time.monotonic() >= self.give_up:
                            break
                    time.sleep(wait)
                    wait = min(wait * 2, 60.0)
        finally:
            for end in (self.door.close, self.spool.close, self.left_over.close):
                try:
                    end()
                except Exception:
                    logger.debug("Bobbin's sender did not end well", exc_info=True)
            self.done.set()

    def _step(self):
        """Takes what came in and tries to send once. False when all is done."""
        taken = self._take()
        self.held_since = time.perf_counter()
        for kind, key, row in taken:
            # Profiles come in parts, and become records when all workers were asked.
            for one in self._merged(row) if isinstance(row, _ProfilePart) else ((kind, key, row),):
                self._add(*one)
                self._breathe()
        if self.closing and self.in_a_hurry and not self.settled.is_set():
            self._settle()
        elif self._pending():
            if time.monotonic() >= self.next_try:
                self._send()
        elif time.monotonic() >= self.adopt_at and not self.closing:
            self._adopt()
        if self.failing_since is not None:
            self._keep()
        self.held = len(self.plain) + len(self.text) + sum(batch.records for batch in self.batches)
        if not self.closing or self.inbox:
            return True
        return self._pending() and time.monotonic() < self.give_up

    def _breathe(self):
        """Lets the event loop go on, where the thread had the interpreter for long. Not at the end: little time is left then."""
        if not self.closing and time.perf_counter() - self.held_since > HELD_SECONDS:
            time.sleep(HELD_SECONDS)
            self.held_since = time.perf_counter()

    def _pending(self):
        return bool(self.batches) or self._unnumbered()

    def _unnumbered(self):
        return bool(len(self.plain) or len(self.text) or self.shed)

    def _take(self):
        """All rows of the inbox. Waits for some, for the time of the next try, or for a receiver to appear."""
        with self.wake:
            if not self.inbox:
                now = time.monotonic()
                if self._pending():
                    waits = 0.0 if self.in_a_hurry and not self.settled.is_set() else min(self.next_try - now, 0.5)
                else:
                    waits = 0.0 if self.closing else self.adopt_at - now
                if waits > 0:
                    self.wake.wait(None if waits == math.inf else waits)
            taken = [row for rows in self.inbox for row in rows]
            # Behind the groups that their texts may name: what is called otherwise is learned from their rows.
            end = len(taken) - (taken[-1:] != [] and taken[-1][0] == "stop")
            taken[end:end] = [("exception", key, row) for key, row in self.failed.items()]
            self.failed.clear()
            self.inbox.clear()
            self.inbox_rows = 0
        if self.failing_since is not None and self.door.signature() != self.seen:
            self.delay = 0.5
            self.next_try = 0.0
        return taken

    def _merged(self, part):
        try:
            yield from self.profiles.take(*part)
        except Exception:
            logger.debug("Bobbin could not merge a profile", exc_info=True)
            self._lose("worker_profile", "not_writable")

    def _add(self, kind, key, row):
        try:
            if kind == "task_group":
                record = _task_group_record(row)
            elif kind == "cluster":
                record = dict(row, **self.facts())
            else:
                record = row
            record = self.mask(record)
            text = (_encode_long if kind == "profile" else _encode)(record)
            if kind == "event" and len(text) > EVENT_BYTES:
                record = dict(record, payload={"cut_bytes": len(text), "head": text[:4096].decode("utf-8", "ignore")})
                text = _encode(record)
            queue, worth, bare = self.text if _holds_text(record) else self.plain, _worth(record), None
            if kind == "exception" and queue is self.text:
                bare = _encode(dict(record, message=None, traceback=None, details=None))
        except Exception:
            logger.debug("Bobbin could not write a %s record", kind, exc_info=True)
            self._lose(kind, "not_writable")
            return
        self.serial += 1
        queue.add(key, _Line(self.serial, kind, worth, text, bare))

    def _lose(self, kind, why, count=1):
        with self.wake:
            self.shed[(kind, why)] += count
            self.shed_records += count
            self.cluster_lost = self.cluster_lost or kind == "cluster"

    def _lose_line(self, line, why):
        if line.kind == "dropped":
            # What it tells is told later, and it has no number that would be missing.
            with self.wake:
                self.shed.update(_told_losses([line]))
        else:
            self._lose(line.kind, why)

    def _lose_text(self, line, why):
        """A profile is worth something without its source, too, and an exception without its text."""
        if line.kind == "profile":
            self._lose("profile_source", why)
            self.plain.add(None, _Line(line.serial, line.kind, line.worth, _without_source(line.text)))
        elif line.kind == "exception":
            self._lose("exception_text", why)
            record = dict(json.loads(line.text.decode("utf-8")), message=None, traceback=None, details=None)
            self.plain.add(record["exception_id"], _Line(line.serial, line.kind, line.worth, _encode(record)))
        else:
            self._lose_line(line, why)

    def _lose_numbered(self, kinds, told, why):
        """Their numbers become a gap, also those of `dropped` records. What these told is told again."""
        with self.wake:
            again = self.untold if why in REFUSALS else self.shed
            again.update(told)
            for kind, count in kinds.items():
                (again if kind == "dropped" else self.shed)[kind, why] += count
                self.shed_records += count
            self.cluster_lost = self.cluster_lost or kinds["cluster"] > 0

    def _tell_shed(self):
        """What was shed becomes records; those that wait already are added to."""
        with self.wake:
            shed, self.shed = self.shed + self.untold, Counter()
            self.untold.clear()
        for (kind, why), count in shed.items():
            waiting = self.plain.remove(("dropped", (kind, why)))
            if waiting is not None:
                count += _told_losses([waiting])[kind, why]
            record = {"kind": "dropped", "at_micros": self.clock.now(), "what": kind, "count": count, "reason": why}
            self._add("dropped", (kind, why), record)

    # Batches

    def _pack(self, first_seq, lines):
        header = {
            "kind": "header",
            "protocol": PROTOCOL,
            "cluster_id": self.cluster_id,
            "instance_id": self.clock.instance_id,
            "first_seq": first_seq,
            "records": len(lines),
            "sent_at_micros": self.clock.now(),
            "monotonic_micros": self.clock.monotonic(),
            "plugin_version": __version__,
        }
        text = b"\n".join([_encode(header)] + [line.text for line in lines]) + b"\n"
        return gzip.compress(text, 6, mtime=0)

    def _batch(self, first_seq, lines, holds_text):
        return _Batch(self.clock.instance_id, first_seq, lines, holds_text, self._pack(first_seq, lines))

    def _number(self, queue, *which):
        """A batch of the lines that wait."""
        lines = queue.take(*which)
        try:
            batch = self._batch(self.next_seq, lines, queue is self.text)
        except Exception:
            for line in lines:
                self._lose_line(line, "not_writable")
            raise
        self.next_seq += batch.records
        self.batches.append(batch)
        return batch

    def _next_batch(self):
        self._tell_shed()
        plain, text = self.plain.oldest(), self.text.oldest()
        if self.draft == SPOOL_NAME % self.next_seq:
            # Its numbers are taken on the disk: no other batch may have them.
            batch = self._number(self.plain, _spool_order)
            try:
                self._write(batch)
            except OSError:
                self._spool_failed()
        elif text is not None and (plain is None or text < plain or self.closing):
            # Whatever is plain comes after it at the end: the goodbye is.
            self._number(self.text)
        else:
            self._number(self.plain)

    def _oldest(self):
        """The batch to be tried: the oldest of those that the receiver failed with the fewest times, by `FAULTS`."""
        if len(self.batches) < ASIDE and self._unnumbered() and all(batch.faults >= FAULTS for batch in self.batches):
            self._next_batch()
        return min(self.batches, key=lambda batch: batch.faults // FAULTS)

    def _send(self):
        """Tries one batch once."""
        batch = self._oldest()
        try:
            body = self.spool.read(batch.name) if batch.body is None else batch.body
        except OSError as error:
            batch.misread += 1
            if batch.misread < FAULTS and not isinstance(error, FileNotFoundError):
                raise
            # Somebody cleared the spool, or the disk fails: the others go on.
            self._drop(batch, "spool_lost")
            return
        self.seen = self.door.signature()
        batch.sent = True
        began = time.monotonic()
        reply = self._post(batch, body)
        # What Bobbin itself takes is refused by something before it.
        small = reply.verdict == "split" and batch.records == 1 and len(body) < NEVER_TOO_LARGE
        if reply.verdict == "again" or small:
            batch.faults += reply.fault
            self._back_off(reply)
            return
        self.failing_since = None
        self.delay = 0.5
        self.next_try = 0.0
        if reply.verdict == "split" and batch.records > 1:
            lines, half, place = _unpack(body, self._breathe), batch.records // 2, self.batches.index(batch)
            self._forget(batch)
            for first, part in ((half, lines[half:]), (0, lines[:half])):
                made = self._batch(batch.first_seq + first, part, batch.holds_text)
                made.sent = True
                self.batches.insert(place, made)
        elif reply.verdict == "kept":
            self._forget(batch)
            self.sent_bytes += len(body)
            self._announce()
            if isinstance(reply.stop, dict):
                self.on_stop(reply.stop, time.monotonic() - began)
            if reply.watched:
                self.on_watched()
        else:
            self._tell(reply.why, "These records are lost and counted")
            self._drop(batch, "too_large" if reply.verdict == "split" else "refused")

    def _post(self, batch, body, sealed=False):
        self.sending_since = time.monotonic()
        try:
            return self.door.post(batch, body, sealed)
        except Exception as error:
            # Whatever answers there may answer anything.
            self.door.close()
            return _Reply("again", why="%s (%s)" % (error, type(error).__name__))
        finally:
            self.sending_since = None

    def _forget(self, batch):
        self.batches.remove(batch)
        # One that could not be written may still have been the draft.
        name = batch.name or SPOOL_NAME % batch.first_seq
        if name == self.draft:
            self.draft = None
        if name in self.spool.sizes:
            try:
                self.spool.remove(name)
                if not self.spool.sizes:
                    self.spool.close()
            except OSError:
                self._spool_failed()

    def _drop(self, batch, why):
        self._forget(batch)
        self._lose_numbered(batch.kinds, batch.told, why)

    def _back_off(self, reply):
        now = time.monotonic()
        if self.failing_since is None:
            self.failing_since = now
        if self.closing:
            self.in_a_hurry = True
        if reply.retry_after is None:
            # Not all schedulers at once, where many wait for the same receiver.
            wait = self.delay * (0.75 + self.random.random() / 2)
        else:
            wait = min(max(reply.retry_after, 0.5), RETRY_AFTER_SECONDS)
        self.next_try = now + wait
        self.delay = min(self.delay * 2, 60.0)
        self._tell(reply.why, "The plugin keeps reports and sends them later")

    def _adopt(self):
        """Delivers a batch that a scheduler before this one left in its spool."""
        batch = self.left_over.next()
        if batch is None:
            self.left_over.close()
            self.adopt_at = time.monotonic() + ADOPT_AGAIN_SECONDS if self.passed_over else math.inf
            self.passed_over = False
            return
        reply = self._post(batch, batch.body, batch.holds_text)
        if reply.verdict == "again":
            # Where it may be this batch, or the key that it waits for, the others do not wait for it.
            if not reply.fault and not (batch.holds_text and reply.status == 503):
                self.left_over.close()
                self.adopt_at = time.monotonic() + ADOPT_AGAIN_SECONDS
                return
            self.passed_over = True
        elif reply.verdict != "kept":
            self._tell(reply.why, "What an earlier scheduler left stays in the spool")
        # What this receiver cannot take, another may: one that has the key, or a later release.
        self.left_over.done(reply.verdict == "kept")

    # What goes to the spool

    def _keep(self):
        """Writes down what is not text, so that it outlives the process."""
        if not self.spool.limit or time.monotonic() < self.spool_again:
            return
        try:
            self._tell_shed()
            self._write_batches()
            # Exceptions wait in memory and in the draft: each of their records that had a number would stay.
            while self.plain.bytes > DRAFT_BYTES:
                self._write(self._number(self.plain, _spool_order, TOLD_ONCE))
            self._write_draft()
            self._fit()
            self.spool_wait = SPOOL_AGAIN_SECONDS
        except OSError:
            self._spool_failed()

    def _write_batches(self):
        for batch in self.batches:
            if batch.name is None and not batch.holds_text:
                self._write(batch)

    def _write_all(self):
        self._tell_shed()
        self._write_batches()
        while len(self.plain):
            self._write(self._number(self.plain, _spool_order))

    def _write(self, batch):
        name = SPOOL_NAME % batch.first_seq
        self.spool.put(name, batch.body)
        batch.name, batch.body = name, None
        if name == self.draft:
            self.draft = None

    def _write_draft(self):
        lines = self.plain.lines()
        if lines:
            # Of what fails, that it failed: where the process dies with the rest, that is not lost.
            failures = [line for line in self.text.lines() if line.bare is not None]
            lines += [_Line(line.serial, line.kind, line.worth, line.bare) for line in failures]
        mark = self.next_seq, self.plain.bytes, max((line.serial for line in lines), default=0)
        if self.draft is not None and mark == self.drafted:
            return
        name = SPOOL_NAME % self.next_seq
        if lines:
            self.spool.put(name, self._pack(self.next_seq, lines))
        if self.draft is not None and (self.draft != name or not lines):
            self.spool.remove(self.draft)
        self.draft, self.drafted = (name if lines else None), mark

    def _fit(self, room=0, most=TOLD_ONCE):
        """Sheds lines of the spool until `room` more bytes fit. Their numbers become a gap."""
        if self.spool.bytes + room <= self.spool.limit:
            return
        for worth in range(most + 1):
            for batch in list(self.batches):
                # Not at once again with the next batch.
                if self.spool.bytes + room <= 0.9 * self.spool.limit:
                    return
                if batch.name is not None and not batch.holds_text and not batch.sent and batch.least <= worth:
                    self._strip(batch, worth)

    def _strip(self, batch, worth):
        """Takes the lines of so little worth out of a spooled batch; they stand at its front."""
        lines = _unpack(self.spool.read(batch.name), self._breathe)
        kept = [line for line in lines if line.worth > worth]
        lost = lines[: len(lines) - len(kept)]
        old = batch.name
        if kept:
            first_seq = batch.first_seq + len(lost)
            # Where there is no room for it, all stays as it was.
            self.spool.put(SPOOL_NAME % first_seq, self._pack(first_seq, kept))
            batch.first_seq, batch.name = first_seq, SPOOL_NAME % first_seq
            batch.count(kept)
        else:
            self.batches.remove(batch)
        self.spool.remove(old)
        self._lose_numbered(Counter(line.kind for line in lost), _told_losses(lost), "spool_full")

    def _spool_failed(self):
        """No room, no permission, no locks: what waits does so in memory for now."""
        logger.debug("Bobbin's spool cannot be used", exc_info=True)
        self.errors += 1
        self.spool_again = time.monotonic() + self.spool_wait
        self.spool_wait = min(2 * self.spool_wait, 600.0)

    def _settle(self):
        """The end, and nobody answers: all goes to the spool, what is text sealed."""
        try:
            if self.spool.limit:
                self._write_all()
                self._seal()
                self._write_all()
                self._fit()
                # What went for that is told, too.
                self._write_all()
        except OSError:
            self._spool_failed()
        finally:
            self.settled.set()

    def _seal(self):
        """The batches stay in memory as well: where the process lives on, they may still be delivered."""
        public = _public_key(self.spool.data_dir)
        waiting = deque(batch for batch in self.batches if batch.holds_text and batch.name is None)
        why = "not_sealed"
        while public is not None and (waiting or len(self.text)):
            if time.monotonic() > self.seal_until:
                why = "no_time"
                break
            batch = waiting.popleft() if waiting else self._number(self.text, _last_words_order)
            sealed = _seal(public, batch.body)
            name = SEALED_NAME % batch.first_seq
            try:
                self._fit(len(sealed), TOLD_ONCE - 1)
                fits = self.spool.bytes + len(sealed) <= self.spool.limit
                if fits:
                    self.spool.put(name, sealed)
            except OSError:
                # The disk itself is full: there may be room for what failed, without its text.
                self._spool_failed()
                fits = False
            if fits:
                batch.name = name
            else:
                self._drop_text(batch, "spool_full")
        for batch in waiting:
            self._drop_text(batch, why)
        while len(self.text):
            for line in self.text.take():
                # As of the batches: a number that is missing. But a profile goes on without its source.
                self.next_seq += line.kind != "profile"
                self._lose_text(line, why)

    def _drop_text(self, batch, why):
        """Its numbers become a gap, and its exceptions go on under others."""
        lines = _unpack(batch.body, self._breathe)
        failures = [line for line in lines if line.kind == "exception"]
        batch.count([line for line in lines if line.kind != "exception"])
        self._drop(batch, why)
        for line in failures:
            self._lose_text(line, why)

    # What is said in the log

    def _announce(self):
        if not self.announced:
            self.announced = True
            if self.settings.destination != "file" and (self.settings.receiver or "").startswith("http"):
                # Where a Bobbin runs on this machine, it takes them in itself.
                self.adopt_at = 0.0
            settings = self.settings
            sent = ["metrics"] + [what for what in ("names", "exceptions", "code") if getattr(settings, what)]
            sent += ["profiles of the workers"] if settings.profile else []
            sent += ["events of " + ", ".join(settings.events)] if settings.events else []
            logger.info(
                "Bobbin: this cluster reports every %g s to %s: %s. To stop that, set DASK_BOBBIN__DISABLED=true.",
                settings.interval,
                self.door.place,
                "; ".join(sent),
            )

    def _tell(self, why, then):
        """Says each problem once, with what becomes of the reports, and never more than a few."""
        if why and why not in self.told and len(self.told) < 5:
            self.told.add(why)
            logger.info("Bobbin: %s. %s; the cluster is not affected.", why, then)


# What the scheduler's process says of itself; read in the thread, since it may touch files


def _packages():
    """As `distributed.versions` tells them, from what is installed: some of its versions import each package to ask it."""
    found = {"python": ".".join(map(str, sys.version_info))}
    modules = distributed.versions
    for package in (*modules.required_packages, *modules.optional_packages, "pyarrow"):
        package = package if isinstance(package, str) else package[0]
        try:
            found[package] = metadata.version(package)
        except Exception:
            found[package] = None
    return found


def _host_versions():
    try:
        return {_name(key): _optional_name(value) for key, value in distributed.versions.get_system_info().items()}
    except Exception:
        return {}


def _ask(function):
    try:
        return _optional_name(function())
    except Exception:
        return None


class _Facts:
    def __init__(self, settings):
        self.settings = settings
        self.made = None

    def __call__(self):
        if self.made is None:
            self.made = {
                "user": _ask(getpass.getuser),
                "host": _ask(socket.gethostname),
                "versions": _packages(),
                "host_versions": _host_versions(),
                "python_version": platform.python_version(),
                "python_path": _optional_name(_tilde(sys.executable or None)),
                "os": _ask(lambda: " ".join((platform.system(), platform.release())).strip()),
                "architecture": _ask(platform.machine),
            }
        # In a container, the scheduler's own user says nothing.
        return dict(self.made, user=_optional_name(self.settings.maker.get("user")) or self.made["user"])


# Profiles, on the event loop: one worker after another is asked, and bytes are handed on


# The gap between two pulls is at least so many times what one takes: half of what all reports may take, since the other half
# is for the beats. And so many times what the thread took to merge it, which holds the interpreter's lock.
PULLS_APART = 2 * BEATS_APART
MERGES_APART = 100
# The steps of a request's stream, which the loop runs for everybody, take about as much as its own: `cost_profiles.py` has both.
STREAM_TOO = 2
PULL_SECONDS = 5.0
LAST_PULL_SECONDS = 1.0
# While nobody takes reports, workers keep their profiles themselves: a thousand cycles of a second.
SILENT_PULL_SECONDS = 600.0
# Packed profiles that the thread has not merged yet.
PROFILE_WAITING_BYTES = 16 * 1024 * 1024


class _Timed:
    """Awaits something and sums up the processor time of its steps."""

    def __init__(self, awaited):
        self.awaited = awaited
        self.seconds = 0.0

    def __await__(self):
        steps = self.awaited.__await__()
        step, argument = steps.send, None
        while True:
            start = time.thread_time()
            try:
                waited = step(argument)
            except StopIteration as end:
                return end.value
            finally:
                self.seconds += time.thread_time() - start
            try:
                argument = yield waited
                step = steps.send
            except BaseException as error:
                step, argument = steps.throw, error


class _Errand:
    """Pickles to the function `bobbin_profile`, made out of its text by the Python of the worker."""

    def __init__(self, text):
        self.text = text

    def __reduce__(self):
        made = "(lambda names, text: (exec(text, names), names['bobbin_profile'])[1])({}, %r)"
        return eval, (made % self.text,)


def _text_of(name):
    _, _, text = _source().partition("# <on workers: %s>\n" % name)
    return text.partition("# </on workers: %s>\n" % name)[0]


def _errand(code):
    """Arguments of the call `run` that puts a helper on a worker."""
    pickle = distributed.protocol.pickle
    arguments = {"text": PROFILE_IMPORTS + _text_of("helper"), "code": code}
    return {"function": pickle.dumps(_Errand(_text_of("loader"))), "kwargs": pickle.dumps(arguments)}


class _ProfiledWorker:
    """What is known of one worker. `windows`: the worker has no helper, and its own profile is asked for."""

    __slots__ = ("held", "address", "windows", "serial", "until", "failures", "again", "ended")

    def __init__(self, held):
        self.held = held
        self.address = held.address
        self.windows = None
        self.serial = 0
        # Time of the last cycle that came in by a window.
        self.until = 0.0
        # When it may be asked again, after it failed to answer.
        self.failures = 0
        self.again = 0.0
        self.ended = False


class _Profiles:
    def __init__(self, run):
        self.run = run
        self.on = run.settings.profile
        self.known = {}
        self.errand = None
        self.task = None
        self.timer = None
        self.since = None
        self.last_round = 0.0
        self.bytes = 0
        self.seconds = 0.0
        self.merged = 0.0
        self.ended = False
        self.told = False

    def begin(self):
        if self.on:
            self.last_round = self.run.loop.time()
            self._plan(0.0)

    def workers_changed(self):
        """A helper is put on a new worker soon, so that a worker that does not live long has one."""
        if self.on and self.task is None:
            self._plan(0.05)

    def same_stacks(self):
        """Whether the last two looks at the whole cluster found the same stacks; null where that is not known."""
        return self.run.outbox.profiles.same

    def _plan(self, delay):
        if self.timer is not None:
            self.timer.cancel()
        self.timer = self.run.loop.call_later(delay, self._tick)

    def _tick(self):
        run = self.run
        try:
            if run.finished or self.ended or os.getpid() != run.process:
                return
            if self.task is None and not _is_closing(run.scheduler):
                self.task = asyncio.ensure_future(self._work(), loop=run.loop)
            else:
                self._plan(1.0)
        except Exception:
            run.errors += 1

    async def _work(self):
        run = self.run
        try:
            await self._install()
            now = run.loop.time()
            gap = SILENT_PULL_SECONDS if run.outbox.silent() else run.settings.profile_interval
            if now - self.last_round >= gap:
                self.last_round = now
                await self._round()
        except Exception:
            run.errors += 1
        finally:
            self.task = None
            if not self.ended:
                with run.budget:
                    delay = run._ask(self._due)
                self._plan(run.settings.profile_interval if delay is None else delay)

    def _due(self):
        """Seconds to the next look."""
        interval = self.run.settings.profile_interval
        due = max(self.last_round + interval - self.run.loop.time(), min(interval, 5.0))
        # A worker that had no time for its helper is asked soon again.
        waiting = any(known.windows is None for known in self._workers())
        return 0.05 if self._new() else min(due, 1.0) if waiting else due

    def _workers(self):
        """Those that are there now, with what is known of them."""
        there = self.run.scheduler.workers
        for address, known in list(self.known.items()):
            if there.get(address) is not known.held:
                del self.known[address]
        for address, held in list(there.items()):
            if address not in self.known:
                self.known[address] = _ProfiledWorker(held)
            yield self.known[address]

    def _new(self):
        now = self.run.loop.time()
        return [known for known in self._workers() if known.windows is None and known.again <= now]

    async def _install(self):
        with self.run.budget:
            new = self._new()
        for place, known in enumerate(new):
            if self.ended:
                return
            before = self.seconds
            await self._guarded(known, self._install_one(known))
            if place >= FEW_WORKERS:
                await self._rest(before)

    async def _install_one(self, known):
        if self.errand is None:
            self.errand = _errand(self.run.settings.code)
        try:
            answer = await self._call(known, "run", PULL_SECONDS, **self.errand)
            there = answer.get("status") == "OK"
        except (OSError, asyncio.TimeoutError):
            raise
        except Exception:
            # What happened there comes back as an error of the call.
            there = False
        if not there:
            self._refused(known, "it runs no functions")
        elif known.windows is None:
            known.windows = False

    def _refused(self, known, why):
        known.windows = True
        self.run.errors += 1
        if not self.told:
            self.told = True
            logger.info("Bobbin: a worker does not accept the profile helper (%s); its profile is not split by task.", _name(why))

    async def _round(self):
        """Asks every worker for the cycles that ended by now."""
        until, stop = time.time(), self.run.clock.now()
        whole = True
        with self.run.budget:
            asked = list(self._workers())
        for known in asked:
            if self.ended:
                return
            if self._behind() or known.windows is None or known.again > self.run.loop.time():
                # Its cycles are there the next time.
                whole = False
                continue
            before = self.seconds
            whole = await self._guarded(known, self._pull(known, until, PULL_SECONDS)) and whole
            await self._rest(before)
        self._end(stop, whole)

    def _end(self, stop, whole):
        self._offer(("end", self.since, stop, whole))
        self.since = stop

    async def _guarded(self, known, work):
        """Whether it went well. A worker that does not answer is left alone for a while."""
        try:
            await work
            known.failures = 0
            return True
        except Exception as error:
            logger.debug("Bobbin: no profile of %s", known.address, exc_info=True)
            self.run.errors += not isinstance(error, (OSError, asyncio.TimeoutError))
            known.failures += 1
            known.again = self.run.loop.time() + min(2.0 ** min(known.failures, 20), SILENT_PULL_SECONDS)
            return False

    async def _rest(self, before):
        merged = self.run.outbox.profiles.seconds
        spent = (self.seconds - before) * PULLS_APART + (merged - self.merged) * MERGES_APART
        self.merged = merged
        await asyncio.sleep(min(spent, 3600.0))

    async def _call(self, known, what, limit, **arguments):
        timed = _Timed(getattr(self.run.scheduler.rpc(known.address), what)(**arguments))
        try:
            return await asyncio.wait_for(timed, limit)
        finally:
            seconds = STREAM_TOO * timed.seconds
            self.seconds += seconds
            self.run.budget.beats += seconds
            self.run.budget.pulls += seconds

    async def _pull(self, known, until, limit):
        if known.windows:
            await self._window(known, until, limit)
            return
        answer = await self._call(known, "bobbin_profile", limit, serial=known.serial, until=until)
        if answer["serial"] != known.serial:
            known.serial = answer["serial"]
            self._offer_pack(answer["data"])

    async def _window(self, known, until, limit):
        """Dask adds a cycle to the end of each window it is asked for, and the open one to the last. So the newest cycle is
        left for later, and edges lie between two cycles."""
        last = {} if until is None else {"stop": until}
        found = await self._call(known, "profile_metadata", limit, start=known.until, **last)
        cycles = [at for at, _ in found["counts"]]
        if until is not None:
            del cycles[-1:]
        if not cycles:
            return
        edges = [known.until or cycles[0] - 1.0] + cycles
        window = {"start": (edges[0] + edges[1]) / 2}
        if until is not None:
            window["stop"] = (edges[-2] + edges[-1]) / 2
        tree = await self._call(known, "profile", limit, **window)
        known.until = cycles[-1]
        if tree["count"]:
            self._offer(("tree", edges[0], edges[-1], tree, 10000))

    def left(self, message):
        """What a worker had left when it ended; or why it cannot have a helper."""
        known = self.known.get(message.get("worker"))
        if "refused" in message:
            if known is not None:
                self._refused(known, message["refused"])
            return
        if known is not None:
            known.ended = True
            if known.serial != message["serial"]:
                known.serial = message["serial"]
                self._offer_unasked(message["answer"])
        self._offer_unasked(message["data"])

    def _behind(self):
        """Whether more waits to be merged than there is room for."""
        outbox = self.run.outbox
        return outbox.inbox_rows and self.bytes - outbox.profiles.bytes > PROFILE_WAITING_BYTES

    def _offer_unasked(self, data):
        """Hundreds of workers that leave at once have more to tell than is asked for by turns."""
        if data and self._behind():
            self.run.outbox._lose("worker_profile", "queue_full")
        else:
            self._offer_pack(data)

    def _offer_pack(self, data):
        if data:
            self.bytes += len(data)
            self._offer(("pack", data))

    def _offer(self, row):
        self.run.outbox.offer([("profile", None, _ProfilePart(row))])

    async def last(self):
        """All that workers have, before the scheduler closes; then nothing more is asked for."""
        if not self.on or self.ended or self.run.finished:
            return
        self._stop()
        end = time.monotonic() + (SILENT_DRAIN_SECONDS if self.run.outbox.silent() else LAST_PULL_SECONDS)
        for known in list(self._workers()):
            left = end - time.monotonic()
            if left <= 0 or self.run.finished:
                break
            if known.windows is not None:
                await self._guarded(known, self._pull(known, None, left))

    def last_from_outside(self):
        """The same, for a script that ends while the event loop runs on in a thread of its own: by then it cannot find out
        addresses, which takes threads, and asks on the streams that it has."""
        if not self.on:
            return
        try:
            asyncio.run_coroutine_threadsafe(self._last_by_stream(), self.run.loop).result(2 * LAST_PULL_SECONDS)
        except Exception:
            logger.debug("Bobbin did not get the last profiles", exc_info=True)

    async def _last_by_stream(self):
        if self.ended or self.run.finished:
            return
        self._stop()
        streams = self.run.scheduler.stream_comms
        asked = [known for known in self._workers() if known.windows is False and known.address in streams]
        for known in asked:
            streams[known.address].send({"op": PROFILE_NAME})
        end = time.monotonic() + LAST_PULL_SECONDS
        while time.monotonic() < end and not all(known.ended for known in asked):
            await asyncio.sleep(0.01)

    def _stop(self):
        self.ended = True
        if self.timer is not None:
            self.timer.cancel()
        if self.task is not None:
            self.task.cancel()

    def finish(self):
        """The last interval ends with its plugin."""
        if self.on:
            self._stop()
            self._end(self.run.clock.now(), False)


def _action(message):
    """What an event of Dask's says that happened; a user's may have anything there."""
    action = message.get("action") if isinstance(message, dict) else None
    return action if isinstance(action, str) else None


# Where Dask itself tells of several workers that go.
WORKERS_TOLD_IN = {"retire-workers": "all", "restart-workers": "all", "worker-ttl-timed-out": "scheduler"}
# The addresses of workers, by which their topics are called.
WORKER_TOPIC = re.compile(r"(?:tcp|tls|ucx|ucxx|ws|wss|inproc)://")


def _of_topic(topic):
    """Whose topic it is, of those that each worker and each client has; None of all others."""
    return "(workers)" if WORKER_TOPIC.match(topic) else "(clients)" if topic.startswith("Client-") else None


class _ManyTopics:
    """Releases without a broker, 2024.5 and older, tell plugins only of the events of one topic. What they log for several topics at
    once stands in their own lists, and is found there."""

    def __init__(self, scheduler):
        counts = getattr(scheduler, "event_counts", None)
        # A release that has neither is none of those that are known: nothing is looked for there.
        self.tells_all = counts is None or getattr(scheduler, "_broker", None) is not None
        self.scheduler = scheduler
        self.counts = {} if self.tells_all else dict(counts)
        # By topic, those that the hook was told, which Dask still holds; a message may be the same object as an earlier one.
        self.known = defaultdict(Counter)
        # By topic, how many the hook was not told which Dask held no more when they were looked for.
        self.gone = Counter()

    def told(self, topic, message):
        if not self.tells_all:
            self.known[topic][id(message)] += 1

    def missed(self):
        """Seconds, topic and message of each event since the last look of which the hook was not told; None now and then, where
        there are many topics, as a place to pause: what comes meanwhile is left to the next look."""
        if self.tells_all:
            return
        known, self.known = self.known, defaultdict(Counter)
        try:
            yield from self._missed(known)
            known.clear()
        finally:
            # Of a look that did not come to its end, the next one still knows what the hook was told.
            for topic, told in known.items():
                self.known[topic].update(told)

    def _missed(self, known):
        counts = self.scheduler.event_counts
        for number, (topic, count) in enumerate(list(counts.items()), 1):
            if number % SLICE_TOPICS == 0:
                yield None
            new = count - self.counts.get(topic, 0)
            if new <= 0:
                continue
            self.counts[topic] = count
            told = known.pop(topic, None) or Counter()
            untold = new - sum(told.values())
            if untold > 0:
                later = counts[topic] - count
                found = islice(reversed(self.scheduler.events.get(topic, ())), later, later + new)
                for at, message in list(found)[::-1]:
                    told[id(message)] -= 1
                    if told[id(message)] < 0:
                        untold -= 1
                        yield at, topic, message
                if untold > 0:
                    self.gone[topic] += untold


def _forget_event(scheduler, topic):
    """Dask keeps events; those that are the plugin's own are nobody else's."""
    broker = getattr(scheduler, "_broker", None)
    (scheduler.events if broker is None else broker._topics).pop(topic, None)


# What is switched off, taken out of each record before it waits anywhere


# In source code and JSON, the letter of a line break may stand right before a word: that letter begins none.
BREAK = r"\\[nrt]"
ADDRESS = re.compile(
    r"(?:\b|(?<=%s))(?:tcp|tls|ucx|ucxx|ws|wss|inproc|http|https|unix)://(?:\[[\w:.%%]+\][^\s'\"<>()\[\],]*|[^\s'\"<>()\[\],]+)" % BREAK
)
IPV4 = re.compile(r"(?:(?<![\w.])|(?<=%s))\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?![\w.])" % BREAK)
# `12:34:56` is a time, `std::list` no address, and `[1::2]` a part of a list.
HEX = r"[\da-fA-F]{1,4}"
SOME = r"(?:%s(?::%s){0,6})?" % (HEX, HEX)
IPV6 = re.compile(
    r"(?:(?<![\w:.])|(?<=%s))(?=[\da-fA-F:]*\d)(?=[\da-fA-F:]*[\da-fA-F]{3})"
    r"(?:(?:%s:){7}%s|%s::%s)(?:%%\w+)?(?![\w:])" % (BREAK, HEX, HEX, SOME, SOME)
)
# Where folders begin: a backslash and one letter are a line break, or something like it.
ROOT = r"(?:(?:~|[A-Za-z]:)[\\/]|/|\\(?=\\|[\w.$-]{2}))"
# A file with its folders: between quotes with any blanks, elsewhere without.
QUOTED_PATH = re.compile(r"""(['"])((?:%s)*)%s[\\/]*[^'"\\/\n][^'"\n]*[\\/]([^'"\\/\n]*)\1""" % (BREAK, ROOT))
BARE_PATH = re.compile(r"""(?:(?<![\w/\\<.])|(?<=%s))%s(?:[^\s'"<>|:;,()\\/]+[\\/])+([^\s'"<>|:;,()\\/]*)""" % (BREAK, ROOT))
HOME = re.compile(r"(?:(?<!\w)|(?<=%s))(/home/|/Users/|\\Users\\)[^\s'\"/\\]+" % BREAK)
# What Dask itself measures; other activities have names of the user's.
ACTIVITIES_OF_DASK = frozenset(
    "thread-cpu thread-noncpu executor serialize deserialize compress decompress disk-read disk-write memory-read network "
    "offload other idle send process failed cancelled".split()
) | SINGLE_MEASURES.keys()
# Of so many, half are forgotten: those that were learned first.
WORDS = 50000
ATOM = re.compile(r"\w+|\W")
KEY_NAME = re.compile(r"[^\W_][\w.]*(?:-[\w.]+)*")
AFTER_A_NAME = re.compile(r"(?:-\w+)*")


def _words(text):
    """Where words begin, and each of them; also without a first letter that may be that of a line break."""
    for atom in ATOM.finditer(text):
        start, word = atom.start(), atom.group()
        yield start, word
        if word[0] in "nrt" and text[start - 1 : start] == "\\":
            yield start + 1, word[1:]


class _Words:
    """What stands for names in texts, wherever a name stands as a word. However many there are, a text is read once: each of
    its words may begin names of a few lengths."""

    def __init__(self):
        self.instead = {}
        self.lengths = {}

    def learn(self, name, instead):
        if not name or name in self.instead:
            return
        if len(self.instead) >= WORDS:
            kept = list(self.instead.items())[WORDS // 2 :]
            self.instead, self.lengths = {}, {}
            for one in kept:
                self.learn(*one)
        self.instead[name] = instead
        lengths = self.lengths.setdefault(ATOM.match(name).group(), [])
        if len(name) not in lengths:
            lengths.append(len(name))
            lengths.sort(reverse=True)

    def replace(self, text, with_tail=False):
        """With `with_tail`, what follows a name in a key goes, too."""
        parts, done = [], 0
        for start, word in _words(text) if self.instead else ():
            if start < done:
                continue
            for length in self.lengths.get(word, ()):
                end = start + length
                instead = self.instead.get(text[start:end])
                if instead is not None and not (text[end : end + 1].isalnum() or text[end : end + 1] == "_"):
                    parts += text[done:start], instead
                    done = AFTER_A_NAME.match(text, end).end() if with_tail else end
                    break
        return "".join(parts) + text[done:]


class _Mask:
    """Applies the switches for exceptions, names, user, host and paths to a record. Used in the outbox's thread only."""

    def __init__(self, settings, salt):
        self.settings = settings
        self.salt = salt
        self.all_on = settings.exceptions and settings.names and settings.user and settings.host and settings.paths
        # Hashes of names; hosts and what workers are called.
        self.names = _Words()
        self.machines = _Words()
        # By address, those that were told of last.
        self.workers = OrderedDict()
        self.numbered = 0
        self.host = None
        self.user = None

    def __call__(self, record):
        if self.all_on:
            return record
        function = getattr(self, "_" + record["kind"], None)
        return record if function is None else function(dict(record))

    # Kinds

    def _cluster(self, record):
        settings = self.settings
        if not settings.host:
            record.update(host=None, scheduler_address=None, dashboard_url=None)
        if not settings.user:
            record["user"] = None
        if not settings.paths:
            record["python_path"] = None
        record["name"] = self._text(record["name"])
        record["python_path"] = self._text(record["python_path"])
        return record

    def _worker(self, record):
        if not self.settings.host:
            number = self._worker_name(record["address"])
            if len(record["host"] or "") > 1:
                self.machines.learn(record["host"], "<host>")
            if len(record["name"] or "") > 2:
                self.machines.learn(record["name"], number)
            record.update(address=number, name=number, host=None)
        record["name"] = self._text(record["name"])
        return record

    def _task_group(self, record):
        record["name"] = self._task(record["name"])
        record["prefix"] = self._task(record["prefix"])
        return record

    def _computation(self, record):
        if "code" in record:
            record["code"] = [
                dict(frame, code=self._source(frame["code"]), filename=self._file(frame["filename"])) for frame in record["code"]
            ]
        return record

    def _exception(self, record):
        record["group"] = self._task(record["group"])
        if record["details"] and not self.settings.names:
            self._learn_keys(_packet(record["details"]))
        if not self.settings.exceptions:
            record.update(message=None, traceback=None, details=None)
        for field in ("message", "traceback", "details"):
            record[field] = self._text(record[field])
        if not self.settings.host and record["worker"]:
            record["worker"] = self._worker_name(record["worker"])
        return record

    def _event(self, record):
        record["topic"] = self._text(record["topic"])
        payload = record["payload"]
        if not self.settings.names and record["topic"] in FAILURE_TOPICS:
            self._learn_keys(payload)
        if not self.settings.exceptions and isinstance(payload, dict):
            payload = {name: part for name, part in payload.items() if name not in FAILURE_PARTS}
        record["payload"] = self._texts(payload)
        return record

    def _span(self, record):
        record["name"] = self._hash("span", record["name"])
        record["tags"] = [self._hash("span", tag) for tag in record["tags"]]
        return record

    def _metric(self, record):
        record["prefix"] = self._task(record["prefix"])
        activity = record["activity"]
        if activity not in ACTIVITIES_OF_DASK and not activity.startswith("p2p"):
            record["activity"] = self._hash("activity", activity)
        return record

    def _profile(self, record):
        record["prefix"] = self._task(record["prefix"])
        strings, lines = list(record["strings"]), record.get("lines") or {}
        for place in set(record["frames"]["file"]):
            strings[place] = self._file(strings[place])
        for place in {*record["frames"]["text"], *lines.get("text", ())} - {None}:
            strings[place] = self._source(strings[place])
        record["strings"] = strings
        return record

    # Parts

    def _task(self, name):
        """What stands for the name of a group or of a prefix. A group's begins with its prefix's, as in Dask, and where Dask
        calls both the same, so does this."""
        prefix = name and dask.utils.key_split(name)
        made = self._hash("task", prefix)
        return made if name == prefix else self._hash("task", name, made)

    def _hash(self, what, name, begins=None):
        if name is None or self.settings.names:
            return name
        key = hashlib.sha256(self.salt + what.encode() + b"\0" + name.encode("utf-8", "replace")).hexdigest()
        made = "%s-%s" % (begins or what, key[:8])
        if len(name) > 2:
            self.names.learn(name, made)
        return made

    def _learn_keys(self, packet):
        """What Dask tells of a failure of its own may name tasks that are gone, whose groups nobody told."""
        if not isinstance(packet, dict):
            return
        story = packet.get("story")
        steps = [step[0] for step in story if isinstance(step, list) and step] if isinstance(story, list) else []
        for key in (packet.get("key"), *steps):
            while isinstance(key, list) and key:
                key = key[0]
            # Before 2024, a key that is a tuple is the text of one.
            for name in KEY_NAME.findall(key) if isinstance(key, str) else ():
                self._task(name)

    def _worker_name(self, address):
        number = self.workers.pop(address, None)
        if number is None:
            self.numbered += 1
            number = "worker-%d" % self.numbered
        self.workers[address] = number
        if len(self.workers) > WORDS:
            self.workers.popitem(last=False)
        return number

    def _file(self, name):
        if name is None:
            return None
        if not self.settings.paths:
            name = re.split(r"[\\/]", name)[-1]
        return self._text(name)

    def _texts(self, value):
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            return {self._text(name): self._texts(part) for name, part in value.items()}
        if isinstance(value, list):
            return [self._texts(part) for part in value]
        return value

    def _text(self, text):
        """Free text without what may not be told; what is known of this cluster is found wherever it stands."""
        text = self._source(text)
        return text if self.settings.names or not text else self.names.replace(text, True)

    def _source(self, text):
        """Source code without users, hosts and folders. It names functions, whatever becomes of the names of tasks."""
        if not text:
            return text
        settings = self.settings
        if not settings.host:
            if self.host is None:
                self.host = _ask(socket.gethostname) or ""
                if len(self.host) > 1:
                    self.machines.learn(self.host, "<host>")
            text = ADDRESS.sub(lambda match: self.workers.get(match.group(0), "<address>"), text)
            text = IPV6.sub("<host>", IPV4.sub("<host>", text))
            text = self.machines.replace(text)
        if not settings.paths:
            text = QUOTED_PATH.sub(r"\1\2\3\1", text)
            text = BARE_PATH.sub(r"\1", text)
        if not settings.user:
            text = HOME.sub(r"\1<user>", text)
            if self.user is None:
                self.user = _ask(getpass.getuser) or ""
            # In a container, that of who made the cluster is another.
            for user in (self.user, settings.maker.get("user")):
                if isinstance(user, str) and len(user) > 1:
                    text = _word(user).sub("<user>", text)
        return text


def _packet(details):
    """What Dask told of a failure of its own; None where it was cut."""
    try:
        return json.loads(details)
    except ValueError:
        return None


def _word(text):
    return re.compile(r"(?:(?<!\w)|(?<=%s))%s(?!\w)" % (BREAK, re.escape(text)))


# One attachment to one scheduler. Everything here runs on the scheduler's event loop


def _version_of(text):
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


# Before, the attribute stayed at the scheduler's start unless an idle timeout was set.
IDLE_SINCE_HOLDS = _version_of(distributed.__version__) >= (2023, 3, 2)
# Since 2024.6 the scheduler says whether it expected a worker to leave.
LOSSES_TOLD = _version_of(distributed.__version__) >= (2024, 6)
# The event of a nanny that stopped its worker for its memory.
MEMORY_KILLS_TOLD = _version_of(distributed.__version__) >= (2024, 4, 2)
# Since then a plugin's hook is told the stimulus of each transition.
STIMULUS_TOLD = _version_of(distributed.__version__) >= (2023, 7, 1)


def _unavailable(scheduler, retries):
    """What this version of Dask does not tell."""
    told = {
        "queued": hasattr(scheduler, "queued"),
        "spans": "spans" in scheduler.extensions,
        "metrics": hasattr(scheduler, "cumulative_worker_metrics"),
        "retries": retries,
        "idle_since": IDLE_SINCE_HOLDS,
        "threads_history": hasattr(scheduler, "total_nthreads_history"),
        "lost_workers": LOSSES_TOLD,
        "memory_kills": MEMORY_KILLS_TOLD,
    }
    return [what for what, so in told.items() if not so]


class _Mismatches:
    """Versions of workers and clients that differ from the scheduler's."""

    def __init__(self):
        self.own = None
        self.clients = {}
        self.counts = Counter()

    def differing(self, where, versions):
        """What differs there, as (package, where, version)."""
        packages = versions.get("packages") if isinstance(versions, dict) else None
        if not packages:
            return ()
        if self.own is None:
            # Asked as Dask itself asks for each worker and client that joins.
            self.own = distributed.versions.get_versions()["packages"]
        if packages == self.own:
            return ()
        return [(name, where, packages.get(name)) for name in {**self.own, **packages} if packages.get(name) != self.own.get(name)]

    def count(self, differing, by):
        for one in differing:
            self.counts[one] += by

    def look(self, clients):
        """Clients have no hook that tells their versions."""
        for key in list(self.clients.keys() - clients.keys()):
            self.count(self.clients.pop(key), -1)
        for key in list(clients.keys() - self.clients.keys())[:1000]:
            self.clients[key] = self.differing("client", getattr(clients[key], "versions", None))
            self.count(self.clients[key], 1)

    def rows(self):
        found = sorted((one for one in self.counts.items() if one[1] > 0), key=repr)[:200]
        return [
            {"package": _name(package), "where": where, "version": _optional_name(version), "count": count}
            for (package, where, version), count in found
        ]


# Workers: who came and went, why, and how they are


# How a stimulus of Dask or the reason that a worker gives begins, and what it means.
CAUSES = (
    ("check-worker-ttl", "heartbeat timeout"),
    # Its own heartbeat raised. With `worker-heartbeat-missing`, it was removed before, for a cause of its own.
    ("worker-heartbeat-error", "failed hard"),
    ("restart-workers", "restart by request"),
    ("client-restart-workers", "restart by request"),
    ("restart", "client restart"),
    ("client-restart", "client restart"),
    ("retire-workers", "retired"),
    ("worker-lifetime", "lifetime reached"),
    ("worker-close-gracefully", "closed gracefully"),
    ("nanny-close-gracefully", "closed gracefully"),
    ("worker-handle-scheduler-connection-broken", "connection lost"),
    ("handle-worker-cleanup", "connection lost"),
    ("worker-send-comm-fail", "connection lost"),
    ("send-all-comm-fail", "connection lost"),
    ("nanny-close", "nanny closed"),
    ("scheduler-close", "closed by the scheduler"),
    ("scheduler-remove-worker", "closed by the scheduler"),
    ("worker-close", "closed"),
    ("close-worker", "closed"),
)
# What these causes mean is certain. Dask takes a worker as lost that goes for a restart, and since 2025.5 one that closes by
# itself in order, as all do when a local cluster is made smaller or closed.
WANTED = ("restart by request", "client restart", "retired", "lifetime reached", "closed gracefully", "closed")
UNWANTED = ("heartbeat timeout", "memory limit", "failed hard")
# The weaker ones, each weaker than the next: most ways to go end with a connection that ends.
WEAK = (None, "connection lost", "nanny closed", "closed", "closed gracefully", "closed by the scheduler", "retired")
# Those of a worker that somebody asked to close, without a word of who and why.
ASKED = ("closed gracefully", "closed by the scheduler")


def _cause(text):
    if not isinstance(text, str):
        return None
    if "fail-hard" in text:
        return "failed hard"
    for begins, cause in CAUSES:
        if text.startswith(begins):
            return cause
    return None


def _stronger(cause, other):
    """The cause that says more; the earlier of two that say much."""
    if cause not in WEAK or (other in WEAK and WEAK.index(other) <= WEAK.index(cause)):
        return cause
    return other


def _number(value):
    """A number that somebody's metric may be, or None: what users add to theirs has any type."""
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) and value - value == 0 else None


def _amounts(resources):
    """A worker's resources, those that are amounts: Dask takes any value."""
    found = {}
    for name, amount in list(resources.items())[:50]:
        try:
            found[_name(name)] = _finite(float(amount))
        except (TypeError, ValueError, OverflowError):
            continue
    return found


def _part(metrics, name, key):
    """`metrics[name][key]`, as far as it is there."""
    part = metrics.get(name)
    return part.get(key) if isinstance(part, dict) else None


class _Worker:
    __slots__ = ("id", "held", "status", "cause", "expected", "differing")

    def __init__(self, held):
        self.id = uuid.uuid4().hex
        self.held = held
        self.status = held.status.name
        self.cause = None
        self.expected = None
        self.differing = ()


class _Workers:
    """Each worker server has an id made here: addresses and names are used again."""

    def __init__(self, now, mismatches):
        self.now = now
        self.mismatches = mismatches
        self.known = {}
        # By nanny or name, why it left; the latest only.
        self.left = OrderedDict()
        # Rows wait for the next beat: what happened is often told before or after why.
        self.rows = []
        self.leaving = {}
        self.lost = 0

    def came(self, address, held, cause=None):
        worker = self.known.get(address)
        if worker is not None and worker.held is held:
            return
        if worker is not None:
            self.went(address)
        worker = self.known[address] = _Worker(held)
        worker.differing = self.mismatches.differing("worker", held.versions)
        self.mismatches.count(worker.differing, 1)
        event = "joined"
        for place in self._places(held):
            if place in self.left:
                event, cause = "restarted", self.left.pop(place) or cause
        self._tell(worker, event, cause, None)
        if worker.status == "paused":
            self._tell(worker, "paused", None, None)

    def keep(self, address, worker):
        """One that an earlier attachment knew."""
        self.known[address] = worker
        self.mismatches.count(worker.differing, 1)
        worker.status = worker.held.status.name
        self._tell(worker, "joined", "was there", None)

    def _places(self, held):
        """What a worker has in common with the one it takes the place of."""
        places = [("nanny", held.nanny)] if held.nanny else []
        return places + ([("name", str(held.name))] if held.name is not None and str(held.name) != held.address else [])

    def went(self, address, cause=None):
        worker = self.known.pop(address, None)
        if worker is None:
            return
        self.mismatches.count(worker.differing, -1)
        worker.cause = _stronger(worker.cause, cause)
        row = self._tell(worker, "left", worker.cause, worker.expected)
        if row is not None:
            self.leaving[address] = row
        for place in self._places(worker.held):
            self.left[place] = worker.cause
        while len(self.left) > 4000:
            self.left.popitem(last=False)

    def why(self, address, cause, expected=None):
        """Notes why a worker leaves, before or a moment after it does."""
        worker = self.known.get(address)
        if worker is not None:
            worker.cause = _stronger(worker.cause, cause)
            worker.expected = expected if expected is not None else worker.expected
            return
        row = self.leaving.get(address)
        if row is not None:
            row["cause"] = _stronger(row["cause"], cause)
            row["expected"] = expected if expected is not None else row["expected"]

    def killed(self, address, cause):
        worker = self.known.get(address)
        if worker is not None:
            worker.cause = cause
            self._tell(worker, "killed", cause, False)

    def changed(self, address, status):
        worker = self.known.get(address)
        if worker is None or worker.status == status:
            return
        if "paused" in (worker.status, status) and status in ("running", "paused"):
            self._tell(worker, "paused" if status == "paused" else "resumed", None, None)
        elif status in ("closing", "closing_gracefully"):
            self.why(address, "closed" if status == "closing" else "closed gracefully")
        worker.status = status

    def compare(self, workers):
        """Finds what no hook told."""
        for address in list(self.known.keys() - workers.keys()):
            self.went(address)
        missed = 0
        for address, held in list(workers.items()):
            worker = self.known.get(address)
            if worker is None or worker.held is not held:
                missed += 1
                if missed <= WORKERS_PER_SLICE:
                    self.came(address, held)
            elif held.status.name != worker.status:
                self.changed(address, held.status.name)

    def _tell(self, worker, event, cause, expected):
        if len(self.rows) >= WORKERS_PER_BEAT:
            self.lost += 1
            return None
        held = worker.held
        row = {
            "kind": "worker",
            "at_micros": self.now(),
            "worker_id": worker.id,
            "address": _name(held.address),
            "name": None if held.name is None else _name(held.name),
            "host": _optional_name(held.host),
            "event": event,
            "cause": cause,
            "expected": expected,
            "threads": _whole(held.nthreads),
            "memory_limit_bytes": _whole(held.memory_limit) if held.memory_limit else None,
            "resources": _amounts(held.resources),
            "nanny": bool(held.nanny),
        }
        self.rows.append(row)
        return row

    def take(self, last=False):
        """What happened, but of the last second whoever closed, unless nothing is told later. Who asked for that, Dask may say
        behind the going; of several that it retires, older releases say it when all of them are gone."""
        since = self.now() - ASKED_LATER_MICROS
        waiting = [row for row in self.rows if row["event"] == "left" and row["cause"] in ASKED and row["at_micros"] > since]
        # The newest, and so few that others still have room.
        waiting = [] if last else waiting[-min(WORKERS_PER_SLICE, WORKERS_PER_BEAT // 2) :]
        held = {id(row) for row in waiting}
        rows = [row for row in self.rows if id(row) not in held]
        self.rows = waiting
        self.leaving = {address: row for address, row in self.leaving.items() if id(row) in held}
        for row in rows:
            if row["event"] == "left" and row["cause"] in WANTED + UNWANTED:
                row["expected"] = row["cause"] in WANTED
        return [("worker", None, row) for row in rows]


class _Load:
    """Sums and bands over the workers of one moment."""

    def __init__(self, workers):
        self.workers = workers
        self.limit = self.used = self.managed = self.spilled = self.paused = 0
        self.unlimited = False
        self.sums = {}
        self.hosts = {}
        self.lag = None
        self.each = []

    def add(self, address, worker):
        metrics = worker.metrics
        self.limit += worker.memory_limit or 0
        self.unlimited = self.unlimited or not worker.memory_limit
        memory = _number(metrics.get("memory")) or 0
        # Releases before 2022.6.1 have the other name.
        spilled = "spilled_bytes" if "spilled_bytes" in metrics else "spilled_nbytes"
        in_memory = _number(_part(metrics, spilled, "memory")) or 0
        on_disk = _number(_part(metrics, spilled, "disk")) or 0
        # As in Dask's own MemoryState: sizes are estimates, the process is not.
        managed = min(memory, max(0, worker.nbytes - in_memory))
        self.used += memory
        self.managed += managed
        self.spilled += on_disk
        self.paused += worker.status.name == "paused"
        lag = _number(metrics.get("event_loop_interval"))
        if lag is not None:
            lag = _whole(lag * 1e6)
            self.lag = lag if self.lag is None else max(self.lag, lag)
        cpu = _number(metrics.get("cpu"))
        self._sum("cpu_percent", cpu)
        self._sum("gpu_percent", _number(metrics.get("gpu_utilization", _part(metrics, "gpu", "utilization"))))
        self._sum("gpu_memory_bytes", _number(metrics.get("gpu_memory_used", _part(metrics, "gpu", "memory-used"))))
        if worker.host not in self.hosts:
            self.hosts[worker.host] = [_number(_rate(metrics, *names)) for names in RATES.values()]
        known = self.workers.known.get(address)
        self.each.append((known and known.id, cpu, memory, managed, on_disk, len(worker.processing), lag))

    def _sum(self, name, value):
        if value is not None:
            self.sums[name] = self.sums.get(name, 0) + value

    def fields(self, threads):
        each, few = self.each, len(self.each) <= FEW_ENOUGH_FOR_EACH
        made = {
            "workers": len(each),
            "threads": _whole(threads),
            "memory_limit_bytes": None if self.unlimited else _whole(self.limit),
            "memory_used_bytes": _whole(self.used),
            "memory_managed_bytes": _whole(self.managed),
            "memory_unmanaged_bytes": _whole(self.used - self.managed),
            "memory_spilled_bytes": _whole(self.spilled),
            "workers_paused": self.paused,
            "worker_lag_micros": self.lag,
            "cpu_percent": self.sums.get("cpu_percent"),
            "gpu_percent": self.sums.get("gpu_percent"),
            "gpu_memory_bytes": self.sums.get("gpu_memory_bytes"),
            "workers_each": [list(row) for row in each if row[0]] if few else None,
            "workers_bands": None if few else {name: _band([row[place] for row in each]) for name, place in BANDS.items()},
        }
        for place, name in enumerate(RATES):
            found = [rates[place] for rates in self.hosts.values() if rates[place] is not None]
            made[name] = sum(max(rate, 0.0) for rate in found) if found else None
        return made


# What a worker says of the machine it runs on, and what that was called before 2022.9: counted once a machine.
RATES = {
    "network_read_bytes_per_s": ("host_net_io", "read_bps", "read_bytes"),
    "network_write_bytes_per_s": ("host_net_io", "write_bps", "write_bytes"),
    "disk_read_bytes_per_s": ("host_disk_io", "read_bps", "read_bytes_disk"),
    "disk_write_bytes_per_s": ("host_disk_io", "write_bps", "write_bytes_disk"),
}
# Place in a row of `_Load.each`.
BANDS = {"cpu_percent": 1, "memory_used_bytes": 2, "memory_spilled_bytes": 4, "processing": 5}


def _rate(metrics, name, key, before):
    found = _part(metrics, name, key)
    return metrics.get(before) if found is None else found


def _band(values):
    """Least, quartiles and most."""
    values = sorted(value for value in values if value is not None)
    return [values[round(part * (len(values) - 1) / 4)] for part in range(5)] if values else None


class _Idle:
    """Closes a cluster that had nothing to do for so long; `close` is called once, and again where it fails. Dask's own limit does not hold in each of
    its versions, and nobody else may set it."""

    def __init__(self, run, seconds, close):
        self.run, self.scheduler, self.loop = run, run.scheduler, run.loop
        self.seconds, self.close = seconds, close
        self.since = self.loop.time()
        self.counter = None
        self._again()

    def _again(self):
        self.loop.call_later(min(max(self.seconds / 20, 0.1), 10.0), self._look)

    def _look(self):
        try:
            if self.run.finished or os.getpid() != self.run.process:
                return
            now = self.loop.time()
            with self.run.budget:
                busy = self._busy()
            if busy:
                self.since = now
            elif now - self.since >= self.seconds:
                self.close(self._failed)
                return
        except Exception:
            # Not known to be idle.
            self.run.errors += 1
            self.since = self.loop.time()
        self._again()

    def _failed(self):
        """It did not close: once more after the same time."""
        self.run.errors += 1
        self.run.reason = None
        self.since = self.loop.time()
        self._again()

    def _busy(self):
        """Whether anything was done since the last look, or is to be done. Results that a client releases are transitions."""
        scheduler = self.scheduler
        counter, self.counter = self.counter, scheduler.transition_counter
        if counter != self.counter or getattr(scheduler, "_active_graph_updates", 0) > 0:
            return True
        if IDLE_SINCE_HOLDS and not scheduler.idle_since:
            # Dask knows of more that is work, such as notebooks in the scheduler.
            return True
        return self.run.has_work()


class _Kept:
    """What an attachment knew when it ended while its scheduler lived on; another to the same scheduler goes on from here."""

    def __init__(self, run):
        self.groups, self.computations, self.workers = run.groups, run.computations, run.workers
        self.threads, self.threads_read = run.threads, run.threads_read


class _TransitionCost:
    """What the hook of transitions takes, processor time. It is too short to be measured each time: some calls stand for all."""

    def __init__(self, scheduler):
        self.scheduler = scheduler
        self.counted = self._count()
        # Of reading the clock.
        self.reading = min(-time.thread_time() + time.thread_time() for _ in range(20))
        self.left = self.calls = 0
        self.seconds = 0.0
        # Of the full hook and of the brief one; which of them is in place, and what the full one would have taken more.
        self.means = [0.0, 0.0]
        self.brief = False
        self.spared = 0.0

    def _count(self):
        return getattr(self.scheduler, "transition_counter", 0)

    def add(self, seconds):
        """One call. False if it was the last to be timed for now."""
        self.calls += 1
        self.seconds += max(seconds - self.reading, 0.0)
        self.left -= 1
        return self.left > 0

    def take(self):
        """Seconds of all calls since the last time."""
        if self.calls:
            self.means[self.brief] = self.seconds / self.calls
        self.calls, self.seconds = 0, 0.0
        before, self.counted = self.counted, self._count()
        full, brief = (mean * (self.counted - before) for mean in self.means)
        self.spared = max(full - brief, 0.0) if self.brief else 0.0
        return brief if self.brief else full


class _Budget:
    """What the plugin takes of the event loop, and what follows from it: how far apart beats are, and which hook of transitions is
    in place. Whatever the plugin does by a timer is done `with` it."""

    def __init__(self, scheduler, interval):
        self.interval = interval
        self.transitions = _TransitionCost(scheduler)
        # Seconds, of all that there ever was: by timers, and in hooks but that of transitions.
        self.beats = self.hooks = 0.0
        # What of that was told, and when; the share of hooks and pulls then.
        self.told = 0.0, 0.0
        self.told_at = time.perf_counter()
        self.others_share = 0.0
        # Seconds of pulls of profiles since the last beat: they have a pace of their own.
        self.pulls = 0.0
        # Seconds of the processor since the last beat, and those of the last beats.
        self.cpu = 0.0
        self.last_cpus = deque([0.0] * BEATS_KEPT, BEATS_KEPT)
        self.depth = 0
        self.entered = 0.0, 0.0
        # (since, seconds of beats, seconds that hooks would have taken with the full one) of the last minute.
        self.weighed = deque()
        self.brief = False
        self.gaps = 0

    def __enter__(self):
        self.depth += 1
        if self.depth == 1:
            self.entered = time.perf_counter(), time.thread_time()

    def __exit__(self, *failure):
        self.depth -= 1
        if not self.depth:
            wall, cpu = self.entered
            self.beats += time.perf_counter() - wall
            self.cpu += time.thread_time() - cpu

    def beat_is_over(self):
        """What was done between two beats counts with the later one."""
        self.last_cpus.append(self.cpu)
        self.cpu = 0.0

    def need(self):
        """Seconds that a beat has to be followed by. The second longest of the last three is what the next may take: one alone may
        have had the collection of all garbage, or a processor that was taken from a virtual machine. That is made up for, too, but
        over many beats."""
        last = list(self.last_cpus)
        seconds = max(sorted(last[-3:])[1], sum(last) / len(last))
        return seconds * BEATS_APART / max(1.0 - self.others_share * BEATS_APART, 0.5)

    def take(self):
        """Seconds of beats and of hooks since the last time, and the share of the event loop's time that they are."""
        since, now = self.told_at, time.perf_counter()
        self.hooks += self.transitions.take()
        beats, hooks = self.beats - self.told[0], self.hooks - self.told[1]
        self.told_at, self.told = now, (self.beats, self.hooks)
        # Two beats may be close together, and much may happen just then.
        self.others_share = (hooks + self.pulls) / max(now - since, self.interval)
        self.pulls = 0.0
        self._weigh(since, now, beats, hooks + self.transitions.spared)
        return beats, hooks, min((beats + hooks) / (now - since), 1.0) if now > since else 0.0

    def _weigh(self, since, now, beats, hooks):
        self.weighed.append((since, beats, hooks))
        while len(self.weighed) > 1 and self.weighed[1][0] < now - WEIGHED_SECONDS:
            self.weighed.popleft()
        passed = max(now - self.weighed[0][0], WEIGHED_SECONDS)
        hooks = sum(one[2] for one in self.weighed) / passed
        both = hooks + sum(one[1] for one in self.weighed) / passed
        limit = FULL_BELOW if self.brief else BRIEF_ABOVE
        self.brief = both > limit and hooks > limit / 2

    def choose_hook(self):
        """Which hook of transitions is in place until the next beat."""
        self.gaps += 1
        self.transitions.brief = self.brief and self.gaps % GAPS_A_FULL_ONE != 0


class _Base:
    """Sums that an earlier attachment has told; what this one tells begins at 0."""

    def __init__(self, seconds, nbytes, thread_seconds):
        self.seconds, self.nbytes, self.thread_seconds = seconds, nbytes, thread_seconds


# By scheduler: the attachment at work, and what the last one left.
_AT_WORK = weakref.WeakKeyDictionary()
_LEFT = weakref.WeakKeyDictionary()
# By scheduler, what its names are hashed with; nowhere else, so that nobody can try names.
_SALTS = weakref.WeakKeyDictionary()


def _salt(scheduler):
    return _SALTS.setdefault(scheduler, os.urandom(16))


class _Run:
    def __init__(self, scheduler, settings, loop):
        self.scheduler = scheduler
        self.settings = settings
        self.loop = loop
        self.owner = None
        self.clock = _Clock()
        self.began = self.clock.now()
        # Tasks that ran before anybody counted them, and those that were counted since.
        self.ran_before = 0
        self.well = 0
        self.retried = 0
        self.threads = (0.0, 0, 0.0)
        self.threads_read = 0
        # When the history was read last.
        self.threads_looked = 0.0
        self.base = _Base({}, 0, 0.0)
        self._take_over()
        # Before 2023.7 the hook is not told the stimulus, but Dask's own log, which may be set to keep nothing.
        self.groups.retries = STIMULUS_TOLD or scheduler.transition_log.maxlen != 0
        self.unavailable = _unavailable(scheduler, self.groups.retries)
        self.spans = _Spans(scheduler)
        self.metrics = _Metrics(scheduler, self.spans)
        self.failures = _Failures(self.groups, settings.code)
        self.many_topics = _ManyTopics(scheduler)
        # When, topic and message.
        self.events = deque()
        self.events_lost = 0
        # By topic, events that were not sent, and the topics where that is news.
        self.event_counts = {}
        self.events_counted = set()
        self.metrics_lost = 0
        self.errors = 0
        self.budget = _Budget(scheduler, settings.interval)
        self.sent_bytes = 0
        self.erred_at = 0.0
        self.active_at = time.time()
        self.cluster_sent = None
        self.cluster_looks = 0
        self.workers_seen = None
        self.cluster_found = (None, None)
        self.nonces = set()
        self.disobeyed = set()
        self.reason = None
        self.finished = False
        # Whether it ended without the scheduler, and whether the plugin was among the scheduler's at all.
        self.left = False
        self.was_there = False
        self.ended_at = None
        self.timer = None
        self.planned = 0.0
        self.last_beat = 0.0
        # When the states of groups were looked at because a worker went.
        self.states_kept = 0.0
        # What closes the cluster, so that somebody holds it until that is done.
        self.closing = None
        # A beat in the making, and what it read so far.
        self.steps = None
        self.read = []
        # Times that are being folded between two beats.
        self.folding = None
        self.closing_seen = False
        # How soon the next beat shall be, where that is said during one.
        self.wish = None
        self.gap = settings.interval
        # A process that is forked off has all of this, and none of it is its business.
        self.process = os.getpid()
        mask = _Mask(settings, _salt(scheduler))
        self.outbox = _Outbox(settings, scheduler.id, self.clock, _Facts(settings), mask, self._ordered, self._watched)
        self.profiles = _Profiles(self)
        # Computations that began since the last beat; where many did, the next ones are told when a beat is due, and no sooner.
        self.computations_came = 0
        self.computations_stream = self.events_stream = False

    def _take_over(self):
        """Goes on from what an earlier attachment to this scheduler knew, so that nothing is told twice. The first takes
        what Dask has summed up so far."""
        scheduler = self.scheduler
        earlier = _AT_WORK.get(scheduler, lambda: None)()
        if earlier is not None:
            earlier.leave()
        kept = _LEFT.pop(scheduler, None)
        self.mismatches = _Mismatches()
        self.workers = _Workers(self.clock.now, self.mismatches)
        if kept is not None:
            # Those that are still there keep their ids.
            for address, worker in kept.workers.known.items():
                if scheduler.workers.get(address) is worker.held:
                    self.workers.keep(address, worker)
        for address, held in scheduler.workers.items():
            self.workers.came(address, held, "was there")
        if kept is None:
            self.groups = _Groups()
            self.computations = _Computations(self.groups, self.settings.code)
        else:
            self.groups, self.computations = kept.groups, kept.computations
            self.groups.errors = 0
            self.computations.code = self.settings.code
            for computation in self.computations.known.values():
                computation.sent, computation.codes = None, 0
            self.threads, self.threads_read = kept.threads, kept.threads_read
            self.base = _Base(dict(self.groups.seconds), self.groups.nbytes, self.threads[2])
        for held in scheduler.task_groups.values():
            known = self.groups.known.get(id(held))
            told = 0 if known is None else _have_run(held, known.states)
            self.ran_before += max(_have_run(held, held.states) - told, 0)
        for known in self.groups.known.values():
            # All is told once more: what the earlier one sent last may not have arrived.
            known.mark = None

    def begin(self):
        self.outbox.thread.start()
        atexit.register(self.at_exit)
        _AT_WORK[self.scheduler] = weakref.ref(self)
        # Computations from before the plugin came: Dask still holds their groups.
        for computation in list(self.scheduler.computations):
            self.computations.note(computation)
        if self.settings.idle_timeout is not None:
            _Idle(self, self.settings.idle_timeout, self._was_idle)
        self.owner.use_hook(self)
        self._plan(0.0)
        self.profiles.begin()

    # The timer: its own, since it must know how late it was called

    def _plan(self, delay):
        if self.timer is not None:
            self.timer.cancel()
        self.planned = self.loop.time() + delay
        self.timer = self.loop.call_at(self.planned, self._tick)

    def _plan_next(self):
        """The next beat comes after the gap, or as soon as was asked for during this one."""
        self._plan(self.gap)
        wish, self.wish = self.wish, None
        if wish is not None:
            gap, delay = wish
            self.soon(delay, gap)

    def soon(self, delay, gap):
        """Moves the next beat forward, at least `gap` seconds behind the last one."""
        if self.finished:
            return
        if self.steps is not None:
            # This one may have read what it is about already.
            self.wish = (gap, delay) if self.wish is None else min(self.wish, (gap, delay))
            return
        at = max(self.loop.time() + delay, self.last_beat + max(min(gap, self.settings.interval), self.budget.need()))
        if at < self.planned - 0.05:
            self._plan(at - self.loop.time())

    def _tick(self):
        try:
            if self.finished or os.getpid() != self.process:
                return
            with self.budget:
                if self.steps is None and not self._begin_beat():
                    return
                more = self._go_on()
            if more:
                self._plan(SLICES_APART)
                return
            self.budget.beat_is_over()
            with self.budget:
                self._pace()
                self._plan_next()
                self.budget.choose_hook()
                self._time_transitions()
        except Exception:
            self.errors += 1
            self.steps = None
            self._plan(self.gap)

    def _begin_beat(self):
        """False where there is none to be made."""
        if _is_closing(self.scheduler):
            # Its workers go first: what is left of them is not news, and the last beat comes with the scheduler's end.
            self._plan(self.settings.interval)
            return False
        if self._is_removed():
            self.leave()
            return False
        lag = self.loop.time() - self.planned
        self.last_beat = self.loop.time()
        self.computations_stream = self.computations_came >= STREAM
        self.computations_came = 0
        self.events_stream = len(self.events) >= STREAM
        self.steps = self._beat(lag, False)
        return True

    def _pace(self):
        """Never more than half a percent of the loop's time, whatever the interval says. A longer gap is told at once: a
        silence that nobody was told of looks like a cluster that is lost."""
        need = self.budget.need()
        if self.gap / 4 <= need <= self.gap or max(need, self.gap) <= self.settings.interval:
            return
        self.gap = self.settings.interval
        while self.gap < need:
            self.gap *= 2
        cluster = self._cluster()
        if cluster is not None:
            self.outbox.offer([("cluster", "cluster", cluster)])

    def _is_removed(self):
        """Whether the plugin was among the scheduler's and is no longer."""
        plugins = self.scheduler.plugins
        there = any(plugin is self.owner for plugin in (plugins.values() if isinstance(plugins, dict) else plugins))
        self.was_there = self.was_there or there
        return self.was_there and not there

    def _go_on(self):
        """Works through the next slice of a beat. False at its end."""
        for rows in self.steps:
            self.read += rows
            if len(self.read) >= GATHERED_ROWS:
                self._hand_over()
            return True
        self.steps = None
        self._hand_over()
        return False

    def _whole_beat(self, closing):
        """A beat in one go, in the place of one that is being made."""
        with self.budget:
            self.steps = self._beat(None, closing)
            while self._go_on():
                pass
        self.budget.beat_is_over()

    def _hand_over(self):
        rows, self.read = self.read, []
        self.outbox.offer(rows)

    def _beat(self, lag, closing):
        """Reads everything; yields lists of rows. Ends with the sample, whose sums cover the rows before it."""
        scheduler = self.scheduler
        now = self.clock.now
        self._wake()
        rows = []
        self._extend(rows, self._cluster_rows)
        current = scheduler.computations[-1] if scheduler.computations else None
        if current is not None:
            self._ask(lambda: self.computations.note(current))
        self._extend(rows, self._worker_rows)
        # A cluster that closes sends its workers away first, one after the other.
        leaving = _is_closing(scheduler)
        gone = leaving or not scheduler.workers
        parts = chain(
            self._safe(lambda: self.computations.join()),
            self._safe(lambda: self.groups.rows(scheduler.task_groups, now, gone, closing)),
            self._safe(lambda: self.computations.rows(current, now, self._idle_since() is not None, closing)),
            self._safe(lambda: self.spans.rows(self.groups.touched.values(), now)),
            self._safe(lambda: self.metrics.rows(now)),
        )
        rows = yield from self._sliced(rows, parts, ROW_STEPS, closing)
        # Only now: of a beat that ends in between, the next one tells what follows from its groups.
        self.groups.touched = {}
        self._extend(rows, lambda: self.failures.rows(now()))
        for _ in self._safe(self._missed_events):
            if not closing:
                yield rows
                rows = []
        rows = yield from self._sliced(rows, self._safe(self._take_events), NOTE_STEPS, closing)
        self._extend(rows, self._take_counts)
        if not leaving or self.workers_seen is None:
            # Kept for the last sample: of a cluster that closes, it has what was there before.
            for _ in self._safe(self._load):
                if not closing:
                    yield rows
                    rows = []
        rows.append(("sample", None, self._sample(lag, self._idle_since())))
        yield rows

    def _sliced(self, rows, parts, row_steps, closing):
        """Adds the rows of some parts, each of so many steps; yields them where a slice is over. Gives those that are left."""
        steps = 0
        for row in parts:
            if row is None:
                steps += 1
            else:
                steps += row_steps
                rows.append(row)
            if steps >= SLICE_STEPS and not closing:
                yield rows
                rows, steps = [], 0
        return rows

    def _safe(self, part):
        """The rows of one part of a beat: where one part fails, the others are told all the same."""
        try:
            yield from part()
        except Exception:
            self.errors += 1

    def _extend(self, rows, part):
        try:
            rows.extend(part())
        except Exception:
            self.errors += 1

    # What is read

    def _cluster_rows(self):
        cluster = self._cluster()
        return [] if cluster is None else [("cluster", "cluster", cluster)]

    def _worker_rows(self):
        self.workers.compare(self.scheduler.workers)
        if self.workers.leaving:
            self.soon(ASKED_LATER_MICROS / 1e6, 1.0)
        # Where the next beat is far, none waits for it.
        far = self.budget.need() > 5 * ASKED_LATER_MICROS / 1e6
        return self.workers.take(far or self.finished or _is_closing(self.scheduler))

    def _cluster(self):
        """The cluster's record where it differs from the last; the thread adds what the process knows of itself."""
        scheduler, settings = self.scheduler, self.settings
        self.mismatches.look(scheduler.clients)
        if self.cluster_found[0] is None and self.cluster_looks < 20:
            self.cluster_looks += 1
            found = _cluster_object(scheduler)
            if found is not None:
                self.cluster_found = type(found).__name__, found.name
        kind, name = self.cluster_found
        if kind is None:
            kind, name = settings.maker.get("class"), settings.maker.get("name")
        record = {
            "kind": "cluster",
            "name": _optional_name(settings.name or name),
            "cluster_class": _optional_name(kind),
            "scheduler_address": _ask(lambda: scheduler.address),
            "dashboard_url": _ask(lambda: _dashboard(scheduler)),
            "started_micros": _micros(scheduler.time_started) or self.began,
            "project": _optional_name(settings.project),
            "tags": settings.tags,
            "plugin_version": __version__,
            "interval_micros": round(self.gap * 1e6),
            "mismatches": self.mismatches.rows(),
            "unavailable": self.unavailable,
            "idle_timeout_micros": None if settings.idle_timeout is None else round(settings.idle_timeout * 1e6),
            "switches": settings.switches(),
        }
        if record == self.cluster_sent and not self.outbox.cluster_lost:
            return None
        self.outbox.cluster_lost = False
        self.cluster_sent = record
        return dict(record, at_micros=self.clock.now())

    def has_work(self):
        """Whether tasks run, or wait for a worker."""
        scheduler = self.scheduler
        if scheduler.unrunnable or getattr(scheduler, "queued", None):
            return True
        return any(worker.processing for worker in scheduler.workers.values())

    def _idle_since(self):
        """Wall clock of the moment since when nothing runs and nothing waits; null while busy."""
        scheduler = self.scheduler
        if self.has_work():
            return None
        since = scheduler.idle_since if IDLE_SINCE_HOLDS else None
        return since or max(scheduler.time_started, self.groups.last_stop, self.active_at)

    def _wake(self):
        """Notices that the machine slept: no thread could compute then."""
        slept = self.clock.catch_up()
        if slept:
            since, count, total = self.threads
            self.threads = since + slept, count, total

    def _thread_seconds(self):
        """Threads times time since the scheduler started: from its own history where it keeps one."""
        # By the clock that never runs backwards, as the machine's may.
        now = self.clock.now() / 1e6
        since, count, total = self.threads
        history = getattr(self.scheduler, "total_nthreads_history", None)
        if history:
            for at, threads in history[self.threads_read :]:
                # What was not there at the last look came after it, whatever the machine's clock said.
                at = min(max(at, since, self.threads_looked), now)
                total += max(at - since, 0.0) * count
                since, count = at, threads
            self.threads_read, self.threads_looked = len(history), now
            self.threads = since, count, total
            return total + max(now - since, 0.0) * count
        total += max(now - since, 0.0) * count
        self.threads = now, self.scheduler.total_nthreads, total
        return total

    def _load(self):
        """Reads what the workers have; yields after each slice."""
        scheduler = self.scheduler
        load = _Load(self.workers)
        for place, (address, worker) in enumerate(list(scheduler.workers.items())):
            load.add(address, worker)
            if place % WORKERS_PER_SLICE == WORKERS_PER_SLICE - 1:
                yield
        self.workers_seen = load.fields(scheduler.total_nthreads)

    def _sample(self, lag, idle_since):
        groups = self.groups
        tasks = {state: max(count, 0) for state, count in groups.states.items() if state != "forgotten"}
        base = self.base
        totals = _activities({activity: value - base.seconds.get(activity, 0.0) for activity, value in groups.seconds.items()})
        totals["thread_seconds"] = round(_finite(max(self._thread_seconds() - base.thread_seconds, 0.0)), 6)
        totals["tasks_completed"] = _whole(self.ran_before + self.well + self.failures.erred)
        totals["tasks_erred"] = _whole(self.failures.erred)
        totals["tasks_retried"] = self.retried if groups.retries else None
        totals["result_bytes"] = _whole(groups.nbytes - base.nbytes)
        beats, hooks, share = self._ask(self.budget.take) or (0.0, 0.0, 0.0)
        record = {
            "kind": "sample",
            "at_micros": self.clock.now(),
            "tasks": tasks,
            "idle_since_micros": _micros(idle_since),
            "loop_lag_micros": None if lag is None else max(round(lag * 1e6), 0),
            "last_completed_micros": _micros(max(groups.last_stop, self.erred_at)),
            "stall": self._ask(self._stall),
            "totals": totals,
            "cost": {
                "beat_micros": round(beats * 1e6),
                "hook_micros": round(hooks * 1e6),
                "loop_share": round(share, 6),
                "sent_bytes": self._sent(),
                "hook_errors": self.errors + self.groups.errors + self.outbox.errors,
                "waiting_records": self.outbox.waiting(),
                "shed_records": self.outbox.shed_records,
                "spooled_bytes": self.outbox.spool.bytes,
            },
        }
        record.update(self.workers_seen or _Load(self.workers).fields(0))
        return record

    def _ask(self, function):
        try:
            return function()
        except Exception:
            self.errors += 1
            return None

    def _sent(self):
        """Bytes since the last sample."""
        sent, self.sent_bytes = self.outbox.sent_bytes - self.sent_bytes, self.outbox.sent_bytes
        return sent

    def _time_transitions(self):
        self.budget.transitions.left = TIMED_CALLS
        self.owner.transition = self.owner._timed_transition

    def _stall(self):
        """After how long without a task that ended the work that workers have is no longer only slow. Null without work; and
        null where only their stacks could tell, since nobody knows how long the tasks of a group take, and nobody looks at stacks."""
        working = [group for group in self.groups.assigned.values() if group.states.get("processing")]
        same_stacks = self.profiles.same_stacks()
        if not working:
            # Workers are there, and none may run what waits: it has to have a worker or a resource that nobody has.
            barred = self.scheduler.workers and self.scheduler.unrunnable
            return {"limit_micros": STALL_MICROS, "same_stacks": None, "group_id": None} if barred else None
        if same_stacks is None and not all(group.times.count for group in working):
            return None
        slowest, p95 = None, 0.0
        for group in working:
            times = group.times
            # No more than its longest time, which costs nothing to ask.
            if times.most > p95 and times.p95() > p95:
                slowest, p95 = group.id, times.p95()
        return {"limit_micros": max(STALL_MICROS, round(5 * p95)), "same_stacks": same_stacks, "group_id": slowest}

    def _take_events(self):
        """A row for each event; None as often as copying it took time. It stays in its place until it has its row: a beat that
        is left is followed by one that tells the rest."""
        left = EVENTS_PARTS
        for _ in range(len(self.events)):
            at, topic, message = self.events[0]
            most = min(EVENT_PARTS, max(left, EVENT_BEGINNING))
            room = [most]
            try:
                payload = _plain(message, room)
            except Exception:
                self.errors += 1
                payload = None
            left -= most - room[0]
            yield from repeat(None, (most - room[0]) // PARTS_A_STEP)
            self.events.popleft()
            yield "event", None, {"kind": "event", "at_micros": at, "topic": topic, "payload": payload, "count": None}

    def _take_counts(self):
        """How often other topics came, and what there was no room for."""
        lost, self.events_lost = self.events_lost, 0
        unmeasured, self.metrics_lost = self.metrics.lost - self.metrics_lost, self.metrics.lost
        rows = []
        at = self.clock.now()
        for topic in self.events_counted:
            counted = {"kind": "event", "at_micros": at, "topic": topic, "payload": None, "count": self.event_counts[topic]}
            rows.append(("event", "count of " + topic, counted))
        self.events_counted.clear()
        told = (("event", lost), ("exception", self.failures.uncounted), ("worker", self.workers.lost), ("metric", unmeasured))
        for what, count in told:
            if count:
                record = {"kind": "dropped", "at_micros": at, "what": what, "count": count, "reason": "too_many"}
                rows.append(("dropped", None, record))
        self.failures.uncounted = self.workers.lost = 0
        return rows

    # What Dask tells

    def graph_came(self):
        computations = self.scheduler.computations
        self.active_at = time.time()
        if computations and self.computations.note(computations[-1]):
            self.computations_came += 1
            if not self.computations_stream:
                self.soon(1.0, max(1.0, self.settings.interval / 4))

    def workers_changed(self):
        self._wake()
        self._thread_seconds()
        if len(self.scheduler.workers) <= FEW_WORKERS and not _is_closing(self.scheduler):
            # A small cluster may be over before the next beat.
            for _ in self._load():
                pass
        self.profiles.workers_changed()
        self.soon(0.1, 0.5)

    def worker_came(self, address):
        held = self.scheduler.workers.get(address)
        if held is not None:
            self.workers.came(address, held)
        self.workers_changed()

    def worker_went(self, address, stimulus_id):
        self.workers.why(address, _cause(stimulus_id))
        self.workers.went(address)
        self.workers_changed()

    def restarts(self):
        """A client restarts all workers: each that goes now goes for that."""
        for address in list(self.workers.known):
            self.workers.why(address, "client restart", True)
        self.workers_changed()

    def _worker_event(self, topic, action, message):
        """What Dask's own events tell of workers."""
        workers = self.workers
        if action == "remove-worker" and topic == "all":
            expected = message.get("expected")
            workers.why(message.get("worker"), _cause(message.get("stimulus_id")), expected if isinstance(expected, bool) else None)
            self._before_a_worker_goes(message.get("worker"))
        elif action == "worker-status-change":
            workers.changed(topic, message.get("status"))
            self.soon(0.5, 1.0)
        elif action == "close-worker":
            # The scheduler asks it to; releases before 2024 tell of it nowhere else.
            workers.why(topic, "closed by the scheduler")
        elif action == "closing-worker":
            workers.why(topic, _cause(message.get("reason")))
        elif topic != WORKERS_TOLD_IN.get(action, topic):
            # Who writes that to a topic of their own says nothing of how workers went.
            return
        elif action == "retire-workers":
            for address in message.get("retired") or message.get("workers") or ():
                workers.why(address, "retired", True)
        elif action == "restart-workers":
            for address in message.get("workers") or ():
                workers.why(address, "restart by request", True)
        elif action == "worker-ttl-timed-out":
            for address in message.get("workers") or ():
                workers.why(address, "heartbeat timeout", False)
        elif topic == "worker-restart-memory" and "worker" in message:
            workers.killed(message["worker"], "memory limit")
            self.soon(0.1, 0.5)

    def _before_a_worker_goes(self, address):
        """Dask says so while the states are still what they were: afterwards, results that only this worker had are lost. The others
        may go right behind it, as where the cluster ends. Everything is read only where the scheduler has nothing more to do."""
        now = self.loop.time()
        first_of_all = not self.closing_seen and _is_closing(self.scheduler)
        self.closing_seen = self.closing_seen or first_of_all
        last_of_all = all(other == address for other in self.scheduler.workers)
        since = now - max(self.last_beat, self.states_kept)
        few = len(self.scheduler.task_groups) <= MANY_GROUPS
        # In a big cluster one goes now and then, and nothing is over.
        soon_over = first_of_all or len(self.scheduler.workers) <= FEW_WORKERS
        if first_of_all and now - self.last_beat > 0.5:
            cut = self.steps is not None
            self.last_beat = now
            self._whole_beat(False)
            if cut:
                # Its next slice was due in a moment.
                self._plan_next()
        elif few and since > (0.05 if soon_over else 0.5) and (first_of_all or not self.closing_seen):
            self.states_kept = now
            self.groups.keep_states(self.scheduler.task_groups)
            if last_of_all:
                self.soon(0.0, 0.5)

    def task_ended(self, key, startstops):
        """Notes how long a task computed, in a group that the hook does not know or where it is time to fold."""
        held = self.scheduler.tasks[key].group
        group = self.groups.note(held)
        for part in startstops or ():
            if part["action"] == "compute":
                group.times.waiting.append(part["stop"] - part["start"])
        if not self.well % TIMES_WAITING and self.folding is None:
            self.folding = self.groups.fold()
            self._fold_on()

    def _fold_on(self):
        """Folds times for a slice, and goes on as a beat does: this cannot wait for one."""
        if self.finished:
            return
        try:
            if sum(1 for _ in islice(self.folding, SLICE_STEPS)) == SLICE_STEPS:
                self.loop.call_later(SLICES_APART, self._fold_later)
            else:
                self.folding = None
                self._time_transitions()
        except Exception:
            self.errors += 1
            self.folding = None

    def _fold_later(self):
        began = time.perf_counter()
        self._fold_on()
        self.budget.hooks += time.perf_counter() - began

    def task_released(self, key, stimulus_id):
        """A task that failed and has retries left goes back to wait; only the stimulus tells that from a worker that left."""
        if stimulus_id is None:
            if not self.groups.retries:
                return
            stimulus_id = self.scheduler.transition_log[-1][4]
        if stimulus_id.startswith(FAILED_ATTEMPTS):
            self.retried += 1
            self.groups.note(self.scheduler.tasks[key].group).retried += 1

    def group_goes(self, group):
        self.groups.note(group)

    def task_erred(self, key, kwargs):
        self.active_at = self.erred_at = time.time()
        own = self.failures.note(
            self.scheduler,
            key,
            cause=kwargs.get("cause"),
            exception=kwargs.get("exception"),
            exception_text=kwargs.get("exception_text"),
            traceback_text=kwargs.get("traceback_text"),
            worker=kwargs.get("worker"),
            at=self.clock.now(),
        )
        if own:
            self.soon(0.5, 1.0)

    def _is_named(self, topic):
        """Each worker and each client has a topic of its own: those are never sent unless named."""
        allowed = self.settings.events
        return topic in allowed or ("*" in allowed and _of_topic(topic) is None)

    def _count_event(self, topic, number=1):
        """Of topics that are not allowed, only how often they came is told."""
        counts = self.event_counts
        topic = _of_topic(topic) or _name(topic)
        if topic not in counts and len(counts) >= TOPICS:
            topic = "(others)"
        counts[topic] = counts.get(topic, 0) + number
        self.events_counted.add(topic)

    def event_came(self, topic, message):
        if isinstance(topic, str):
            self.many_topics.told(topic, message)
            action = _action(message)
            if action in WORKER_ACTIONS or (topic == "worker-restart-memory" and isinstance(message, dict)):
                self._ask(lambda: self._worker_event(topic, action, message))
        for one in (topic,) if isinstance(topic, str) else topic:
            self._event(str(one), message, self.clock.now())

    def _missed_events(self):
        """Yields where the beat may pause."""
        for event in self.many_topics.missed():
            if event is None:
                yield
            else:
                at, topic, message = event
                self._event(str(topic), message, _micros(at))
        while self.many_topics.gone:
            topic, number = self.many_topics.gone.popitem()
            if self._is_named(str(topic)):
                self.events_lost += number
            else:
                self._count_event(str(topic), number)

    def _event(self, topic, message, at):
        action = _action(message)
        if topic == "scheduler" and action == "update-graph" and message.get("status") == "error":
            # Told while it is handled: no other place has it.
            self.failures.of_graph(sys.exc_info()[1], at)
            self.soon(0.5, 1.0)
        if topic in FAILURE_TOPICS:
            self.failures.of_dask(self.scheduler, topic, message, at)
            self.soon(0.5, 1.0)
            if isinstance(message, dict):
                # Those parts are in the exception's record.
                message = {name: part for name, part in message.items() if name not in FAILURE_PARTS}
        if not self._is_named(topic) or (self.settings.without_routine and action in ROUTINE):
            self._count_event(topic)
            return
        if len(self.events) >= EVENTS_PER_BEAT:
            self.events_lost += 1
            return
        # As Dask keeps it; it is copied with the report, where that takes a slice at a time.
        self.events.append((at, _name(topic), message))
        if not self.events_stream:
            self.soon(0.5, max(1.0, self.settings.interval / 4))

    def profile_came(self, message):
        _forget_event(self.scheduler, PROFILE_NAME)
        self.profiles.left(message)

    # The end

    def finish(self, reason):
        """The last state of everything, and goodbye. Once."""
        if self.finished or os.getpid() != self.process:
            return
        self.finished = True
        self.ended_at = time.monotonic()
        if self.timer is not None:
            self.timer.cancel()
        self._ask(self.profiles.finish)
        try:
            self._whole_beat(True)
        except Exception:
            self.errors += 1
        self.outbox.close([("stop", "stop", {"kind": "stop", "at_micros": self.clock.now(), "reason": reason})])
        self.computations.known.clear()
        self.groups.known.clear()
        _AT_WORK.pop(self.scheduler, None)

    def leave(self):
        """The plugin was removed, or another takes its place: the last numbers, and no goodbye, since the cluster lives on."""
        if self.finished:
            return
        self.finished = self.left = True
        if self.timer is not None:
            self.timer.cancel()
        self._ask(self.profiles.finish)
        try:
            self._whole_beat(False)
            total = self._thread_seconds()
            self.threads = self.clock.now() / 1e6, self.threads[1], total
        except Exception:
            self.errors += 1
        self.outbox.close()
        atexit.unregister(self.at_exit)
        _AT_WORK.pop(self.scheduler, None)
        _LEFT[self.scheduler] = _Kept(self)

    def why(self):
        """Why the scheduler closes, as far as it can be told."""
        if self.reason is not None:
            return self.reason
        timeout = getattr(self.scheduler, "idle_timeout", None)
        if timeout and self._idle_since() and time.time() - self._idle_since() >= timeout:
            return "idle_timeout"
        return "closed"

    def patience(self):
        """Whether to wait on for the last batch. However many hooks ask, five seconds in all. Where nobody answers, a fifth of
        one is for that, and the rest for writing it down."""
        if self.ended_at is None:
            self.ended_at = time.monotonic()
        outbox = self.outbox
        if outbox.done.is_set() or outbox.settled.is_set() or os.getpid() != self.process:
            return False
        waited = time.monotonic() - self.ended_at
        if waited > (SILENT_DRAIN_SECONDS if outbox.silent() else DRAIN_SECONDS - SETTLE_SECONDS) and not outbox.in_a_hurry:
            outbox.hurry()
        return waited < DRAIN_SECONDS

    async def drained(self):
        while self.patience():
            await asyncio.sleep(0.01)
        atexit.unregister(self.at_exit)

    def at_exit(self):
        """The script ends and nobody closed the cluster: Dask closes it after this, but its hooks may not get the time."""
        if os.getpid() != self.process:
            return
        try:
            if not self.finished:
                ended = threading.Event()

                def end():
                    try:
                        self.finish("exit")
                    finally:
                        ended.set()

                if self.loop.is_running():
                    self.profiles.last_from_outside()
                    self.loop.call_soon_threadsafe(end)
                    ended.wait(1.0)
                if not ended.is_set() and not self.finished:
                    self.finish("exit")
            while self.patience():
                time.sleep(0.01)
        except Exception:
            logger.debug("Bobbin could not report the shutdown", exc_info=True)

    def _was_idle(self, failed):
        logger.info("Bobbin: closing the cluster after %g s idle (bobbin.idle.timeout).", self.settings.idle_timeout)
        self.reason = "idle_timeout"
        self.closing = asyncio.ensure_future(_close(self.scheduler, "bobbin-idle-timeout", failed))

    def _ordered(self, order, waited):
        """Bobbin's user asked to close this cluster; called in the thread, with the answer to a batch for which it waited so many
        seconds. The order comes with each answer until it expires, and is obeyed once. One that is not for this cluster, here
        and now, is counted. How long it is valid is told, not until when: the receiver's clock may be another."""
        try:
            nonce, left = str(order.get("nonce") or ""), order.get("left_micros")
            if self.finished or nonce in self.nonces:
                return
            if not self.settings.obeys:
                why = "not_allowed"
            elif not str(self.outbox.door.place).startswith(("unix://", "https://")):
                # Whoever took the port of a receiver that is gone could give orders.
                why = "not_pinned"
            elif order.get("instance_id") != self.clock.instance_id:
                why = "other_instance"
            elif not nonce or not isinstance(left, int):
                why = "no_order"
            elif left < waited * 1e6:
                why = "expired"
            else:
                self.nonces.add(nonce)
                self.loop.call_soon_threadsafe(self._obey)
                return
            self.outbox._lose("stop_order", why)
            if why not in self.disobeyed:
                self.disobeyed.add(why)
                logger.warning("Bobbin: ignoring a request to close this cluster (%s).", why)
        except RuntimeError:
            logger.debug("Bobbin: the cluster is already closed")
        except Exception:
            self.errors += 1

    def _watched(self):
        """Somebody looks at this cluster's page; called in the thread, with the answer to a batch. The next report then comes
        soon, as long as there is work: what stands still need not be told again."""
        try:
            self.loop.call_soon_threadsafe(self._report_soon)
        except RuntimeError:
            logger.debug("Bobbin: the cluster is closed already")

    def _report_soon(self):
        if self.groups.assigned:
            self.soon(0.0, WATCHED_SECONDS)

    def _obey(self):
        if self.finished:
            return
        logger.warning("Bobbin: closing the cluster at its user's request.")
        self.reason = "remote_close"
        self.closing = asyncio.ensure_future(_close(self.scheduler, "bobbin-remote-close", self._did_not_close))

    def _did_not_close(self):
        self.errors += 1
        self.reason = None


async def _close(scheduler, reason, failed):
    try:
        cluster = _cluster_object(scheduler)
        if cluster is not None:
            # Through its owner, which would otherwise wait half a minute for a scheduler that is gone.
            closing = cluster.close()
            if asyncio.iscoroutine(closing) or isinstance(closing, asyncio.Future):
                await closing
            return
        try:
            await scheduler.close(reason=reason)
        except TypeError:
            # Before 2023 it took no reason.
            await scheduler.close()
    except Exception:
        logger.warning("Bobbin: the cluster did not close", exc_info=True)
        failed()


def _cluster_object(scheduler):
    """The cluster object in this process that has this scheduler, if there is one."""
    try:
        from distributed.deploy.spec import SpecCluster

        for cluster in list(SpecCluster._instances):
            if getattr(cluster, "scheduler", None) is scheduler:
                return cluster
    except Exception:
        logger.debug("Bobbin could not look for the cluster object", exc_info=True)
    return None


def _is_closing(scheduler):
    """Whether the cluster object in this process has begun to close."""
    status = getattr(_cluster_object(scheduler), "status", None)
    return getattr(status, "name", None) in ("closing", "closed")


def _dashboard(scheduler):
    service = scheduler.services.get("dashboard")
    if service is None:
        return None
    host = scheduler.address.split("://", 1)[-1].rsplit(":", 1)[0]
    if scheduler.address.startswith("inproc://"):
        host = "localhost"
    return distributed.utils.format_dashboard_link(host, service.port)


# What Dask sees


class BobbinPlugin(SchedulerPlugin):
    """Reports a cluster to Bobbin. `given` are settings of whoever registers it, by the names in this file's head."""

    name = "bobbin"
    idempotent = True

    def __init__(self, given=None):
        self._given = dict(given or {})
        # Of those who registered after the first, and switched something off.
        self._also = []
        self._run = None
        # Disabled, or not able to attach: not to be asked again for each graph that comes.
        self._settled = False

    def __reduce__(self):
        return eval, (_expression(self._given),)

    async def start(self, scheduler):
        self._settled = False
        self._attach(scheduler)

    def _settings(self):
        settings = Settings(self._given)
        for given in self._also:
            settings.narrow(given)
        return settings

    def _attach(self, scheduler):
        """Begins to report. A second call changes nothing; where another plugin of ours is at work, this one joins it."""
        if self._settled or (self._run is not None and not self._run.left):
            return
        try:
            settings = self._settings()
            settings.meet(scheduler)
            if settings.disabled:
                self._settled = True
                return
            for other in _plugins_of_ours(scheduler):
                run = other._run
                if other is not self and run is not None and not run.finished:
                    run.owner = self
                    self._run = run
                    given, self._given, self._also = self._given, other._given, other._also
                    self.heed(given)
                    return
            run = _Run(scheduler, settings, asyncio.get_running_loop())
            run.owner = self
            run.begin()
            self._run = run
        except Exception:
            self._settled = True
            logger.info("Bobbin could not attach; the cluster is not affected", exc_info=True)

    def heed(self, given):
        """Somebody else registered with these settings, and Dask has one plugin of a name: what they switched off is off. The
        reports go on as another instance; what was seen before was told as it was allowed then."""
        try:
            run = self._mine()
            if run is None:
                return
            settings = copy.copy(run.settings)
            settings.narrow(given)
            settings.meet(run.scheduler)
            if settings.maker and "maker" not in self._given:
                # Also for a plugin that is taken off and put on again.
                self._given["maker"] = settings.maker
            if not settings.disabled and settings.switches() == run.settings.switches():
                if settings.maker != run.settings.maker:
                    run.settings.maker = settings.maker
                    run.soon(0.5, 1.0)
                return
            self._also.append(given)
            run.leave()
            if not settings.disabled:
                self._run = _Run(run.scheduler, settings, run.loop)
                self._run.owner = self
                self._run.begin()
        except Exception:
            logger.info("Bobbin could not take over settings; the cluster is not affected", exc_info=True)

    def _mine(self):
        run = self._run
        return run if run is not None and run.owner is self and not run.finished else None

    def transition(self, key, start, finish, *args, **kwargs):
        # Seven times a task: most return after two comparisons.
        if start == "processing":
            if finish == "memory":
                # Run to its end; data that a client or a returning worker brings does not come from `processing`.
                run = self._run
                if run is None or run.owner is not self or run.finished:
                    return
                run.well += 1
                try:
                    startstops = kwargs["startstops"]
                    took = run.groups.timed.get(run.scheduler.tasks[key].group)
                    if took is None or not run.well % TIMES_WAITING:
                        self._do("task_ended", key, startstops)
                        return
                    for part in startstops:
                        if part["action"] == "compute":
                            took(part["stop"] - part["start"])
                except Exception:
                    run.errors += 1
            elif finish == "released":
                self._do("task_released", key, kwargs.get("stimulus_id"))
            elif finish == "erred":
                self._do("task_erred", key, kwargs)
        elif finish == "erred":
            self._do("task_erred", key, kwargs)
        elif start == "memory":
            # Data that a client brought may come and go between two beats, and nothing else tells of its group.
            run = self._run
            if run is None or run.owner is not self or run.finished:
                return
            try:
                group = run.scheduler.tasks[key].group
                if group not in run.groups.timed:
                    self._do("group_goes", group)
            except Exception:
                run.errors += 1

    def _brief_transition(self, key, start, finish, *args, **kwargs):
        """In the place of `transition` where that would take too much: all but how long tasks took."""
        if start == "processing":
            if finish == "memory":
                run = self._run
                if run is not None and run.owner is self and not run.finished:
                    run.well += 1
                return
        elif start != "memory" and finish != "erred":
            return
        type(self).transition(self, key, start, finish, *args, **kwargs)

    def _timed_transition(self, *args, **kwargs):
        """In the place of either for some calls."""
        run = self._run
        budget = run.budget
        hook = type(self)._brief_transition if budget.transitions.brief else type(self).transition
        hooks, began = budget.hooks, time.thread_time()
        hook(self, *args, **kwargs)
        try:
            # What `_do` measured is counted already.
            more = budget.transitions.add(time.thread_time() - began - (budget.hooks - hooks))
        except Exception:
            run.errors += 1
            more = False
        if not more:
            self.use_hook(run)

    def use_hook(self, run):
        """Puts the hook of transitions in place that its budget allows."""
        if run.budget.transitions.brief:
            self.transition = self._brief_transition
        else:
            self.__dict__.pop("transition", None)

    def update_graph(self, scheduler, *args, **kwargs):
        # Where it was added to a running scheduler, which starts nothing.
        self._attach(scheduler)
        self._do("graph_came")

    def add_worker(self, scheduler, worker, *args, **kwargs):
        self._attach(scheduler)
        self._do("worker_came", worker)

    def remove_worker(self, scheduler, worker, *args, **kwargs):
        self._do("worker_went", worker, kwargs.get("stimulus_id"))

    def restart(self, scheduler, *args, **kwargs):
        self._do("restarts")

    def log_event(self, topic, msg):
        if topic == PROFILE_NAME:
            self._do("profile_came", msg)
            return
        self._do("event_came", topic, msg)

    def _do(self, what, *arguments):
        run = self._mine()
        if run is not None:
            budget = run.budget
            began, beats = time.perf_counter(), budget.beats
            try:
                getattr(run, what)(*arguments)
            except Exception:
                run.errors += 1
            # A beat that was made in it is counted already.
            budget.hooks += time.perf_counter() - began - (budget.beats - beats)

    async def before_close(self):
        run = self._run
        if run is None or run.owner is not self:
            return
        reason = run._ask(run.why) or "closed"
        try:
            await run.profiles.last()
        except Exception:
            run.errors += 1
        try:
            run.finish(reason)
            await run.drained()
        except Exception:
            run.errors += 1

    async def close(self):
        # Dask before 2022.4 has no `before_close`.
        await self.before_close()


def _plugins_of_ours(scheduler):
    """Also those of another release."""
    plugins = scheduler.plugins
    plugins = list(plugins.values() if isinstance(plugins, dict) else plugins)
    return [plugin for plugin in plugins if getattr(plugin, "name", None) == BobbinPlugin.name and hasattr(plugin, "heed")]


def arrived(given):
    """The plugin that came to a scheduler's process. Where the scheduler has one already, Dask drops this one without a call; what
    it was given is heeded all the same. The scheduler is the one that is being given the plugin."""
    try:
        frame = sys._getframe()
        while frame is not None and not isinstance(frame.f_locals.get("self"), distributed.Scheduler):
            frame = frame.f_back
        for plugin in _plugins_of_ours(frame.f_locals["self"]) if frame is not None else ():
            plugin.heed(given)
    except Exception:
        logger.debug("Bobbin cannot tell which scheduler it came to", exc_info=True)
    return BobbinPlugin(given)


def dask_setup(scheduler):
    """Called by Dask for a preload of the scheduler. Never raises: that would stop some versions of it from starting."""
    preload(scheduler)


def preload(scheduler, given=None):
    try:
        if not hasattr(scheduler, "task_groups"):
            return
        if BobbinPlugin.name in [getattr(other, "name", None) for other in list(scheduler.plugins.values())]:
            for plugin in _plugins_of_ours(scheduler):
                plugin.heed(dict(given or {}))
            return
        plugin = BobbinPlugin(given)
        scheduler.add_plugin(plugin, name=plugin.name)
        capture_code(Settings(given, quiet=True))
    except Exception:
        logger.info("Bobbin could not attach; the cluster is not affected", exc_info=True)


def register(client=None):
    """Makes the cluster of a client (by default the current one) report to Bobbin. Registering twice is the same as once.

    With an asynchronous client this returns something to await. Errors of Dask's own registering are passed on.
    """
    if client is None:
        client = distributed.client.default_client()
    given = _explicit()
    capture_code(Settings(given, quiet=True))
    given.update(_maker(client))
    plugin = BobbinPlugin(given)
    if hasattr(client, "register_plugin"):
        return client.register_plugin(plugin, name=plugin.name)
    return client.register_scheduler_plugin(plugin, name=plugin.name, idempotent=True)


def capture_code(settings):
    """Has Dask record the code around calls of `compute`: since 2023.4 it does so only where the client asks. A user who wrote
    down that it shall not has the last word."""
    key = "distributed.diagnostics.computations.nframes"
    if settings.code and not settings.disabled and dask.config.get(key, None) == 0 and settings.written(key) is None:
        dask.config.set({key: 2})


# What Bobbin recorded: read by a package beside this file, which is loaded when it is asked for
READING = ("BobbinError", "last", "list_clusters", "list_computations", "list_events", "list_exceptions")


def __getattr__(name):
    if name not in READING:
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    import bobbin_reader

    return getattr(bobbin_reader, name)


# How it travels


def _source():
    """The text of this file: given by whoever loaded it from text, or read from where it lies."""
    global _SOURCE
    if _SOURCE is None:
        with open(__file__, encoding="utf-8") as file:
            _SOURCE = file.read()
    return _SOURCE


def source_digest():
    return hashlib.sha256(_source().encode("utf-8")).hexdigest()


def _expression(given):
    """An expression that makes a plugin anywhere: out of this module where it is loaded, out of its source elsewhere.

    It is plain text, and the source is compiled by the Python that runs it, with no flags of the caller's.
    """
    return (
        "(lambda sys, types, given, digest, source:"
        " (next((m for m in (sys.modules.get('bobbin_telemetry'), sys.modules.get('bobbin'))"
        " if m is not None and getattr(m, 'source_digest', str)() == digest), None)"
        " or (lambda m: (m.__dict__.update(_SOURCE=source),"
        " exec(compile(source, 'bobbin_telemetry.py', 'exec', 0, True), m.__dict__),"
        " sys.modules.__setitem__('bobbin_telemetry', m), m)[-1])(types.ModuleType('bobbin_telemetry'))"
        ").arrived(given))(__import__('sys'), __import__('types'), %r, %r, %r)" % (given, source_digest(), _source())
    )
