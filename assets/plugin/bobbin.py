"""Bobbin's plugin for the Dask scheduler: it tells Bobbin, on your own machine, what a cluster did.

    import bobbin; bobbin.register()                   # from a client, for a running cluster
    dask scheduler --preload /path/to/bobbin.py        # or in `distributed.scheduler.preload`

It is a guest in somebody's scheduler. On the event loop it only reads counters that Dask keeps anyway; text is made,
packed and sent by one daemon thread. It never raises into Dask, never waits there, and bounds what it keeps.
This is one file, needs `distributed` and nothing else, and runs on Python 3.8 and later. It travels between processes
as its own source text, since a class pickled by value can crash a scheduler of another Python version.

Settings are read from Dask's configuration where the scheduler runs (`bobbin.<name>` in YAML, or an environment variable
such as `DASK_BOBBIN__CODE__TRANSMIT`). Where the second column names a `coiled.analytics` setting, that is honoured too.

    disabled             disabled                   true: the plugin does nothing
    receiver                                        null looks for Bobbin on this machine; or unix:///path/receiver.sock,
                                                    http://127.0.0.1:8788, https://host:8788#sha256=CERTIFICATE
    token, token-file                               the receiver's token, or a file that holds it
    data-dir                                        Bobbin's folder, if it is not in the usual place; BOBBIN_DATA_DIR too. A
                                                    client's is used where the scheduler has none of its own
    interval             computation.interval       time between two reports, 10 s
    code.transmit        computation.code.transmit  the source code around calls of compute(), true
    profile.transmit     profile.transmit           reported; profiles are not collected yet, false
    events.allow         events.allow               topics whose events are sent, or "*"
    remote-close                                    whether Bobbin's user may close this cluster, false
    name, project, tags                             how the cluster is called in Bobbin
    destination, folder                             "file" writes a .bobbin file into the folder instead of sending
"""

import ast
import asyncio
import atexit
import getpass
import gzip
import hashlib
import hmac
import http.client
import json
import logging
import os
import pickletools
import platform
import re
import socket
import ssl
import sys
import threading
import time
import uuid
import weakref
from collections import Counter, OrderedDict, defaultdict, deque
from urllib.parse import urlsplit

import dask
import distributed
from distributed.diagnostics.plugin import SchedulerPlugin

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
# What waits to be sent, as text. Samples go first when it is more.
QUEUE_BYTES = 32 * 1024 * 1024
# One batch: small enough that a receiver's limit on compression (100 to 1 after the first MiB) never matters.
BATCH_BYTES = 1024 * 1024
BATCH_RECORDS = 2000
INBOX_RECORDS = 100000
# What is read in one go on the event loop, 4 milliseconds: a group that did not change takes half a microsecond, another ten
# times that and more.
SLICE_STEPS = 5000
ROW_STEPS = 10
FAILURES = 1000
# Up to so many are looked at whenever one comes or goes: 10 microseconds.
FEW_WORKERS = 16
EVENTS_PER_BEAT = 1000
# The gap between two beats is at least so many times the processor time of one.
BEATS_APART = 200
# How long a closing scheduler waits for its last batch. Where its process lives on, the thread goes on trying.
DRAIN_SECONDS = 5.0
GIVE_UP_SECONDS = 600.0
SILENT_DRAIN_SECONDS = 0.2
ANSWER_BYTES = 64 * 1024
# Events of a topic that is sent by default, but that come with each call of a client.
ROUTINE = ("update-graph", "update_graph", "gather")
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
    "events.allow",
    "remote-close",
    "name",
    "project",
    "tags",
    "destination",
    "folder",
)


def _true(value):
    if isinstance(value, str):
        return value.strip().lower() not in ("", "0", "false", "no", "off", "none")
    return bool(value)


def _config(key):
    return dask.config.get("bobbin." + key, None)


def _coiled(key):
    """A `coiled.analytics` setting that somebody chose: what the package ships as a default says nothing about this user."""
    value = dask.config.get("coiled.analytics." + key, None)
    for shipped in getattr(dask.config, "defaults", ()):
        for part in ("coiled", "analytics") + tuple(key.split(".")):
            shipped = shipped.get(part) if isinstance(shipped, dict) else None
        if shipped is not None and shipped == value:
            return None
    return value


def _own_data_dir():
    """Bobbin's folder, if this process was told where it is."""
    value = _config("data-dir") or os.environ.get("BOBBIN_DATA_DIR")
    return str(value) if value else None


def _explicit():
    """What the configuration of this process says itself, to be carried to a scheduler in another process. Plain values only,
    whatever the configuration has."""
    said = {}
    for key in KEYS:
        try:
            value = _plain(_config(key), [1000])
            if value is not None:
                said[key] = json.loads(json.dumps(value, allow_nan=False))
        except Exception:
            logger.warning("Bobbin's setting %s cannot be carried to the scheduler.", key)
    path = said.pop("token-file", None)
    if path is not None and "token" not in said:
        try:
            said["token"] = _read_text(str(path))
        except (OSError, ValueError):
            logger.warning("Bobbin's token file cannot be read.")
    folder = _own_data_dir()
    said.pop("data-dir", None)
    if folder:
        said["data-dir"] = os.path.abspath(os.path.expanduser(folder))
    settings = Settings(quiet=True)
    if not settings.code:
        said["code.transmit"] = False
    if settings.disabled:
        said["disabled"] = True
    return said


class Settings:
    """The configuration of one attachment. `given` comes from the process that registered the plugin.

    A value that makes no sense counts as not said, and that is told once."""

    def __init__(self, given=None, quiet=False):
        self.given = dict(given or {})
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
        self.remote_close = read("remote-close", False, self._all, None, False)
        self.events = read("events.allow", DEFAULT_TOPICS, self._topics)
        self.name = read("name", None, self._text)
        self.project = read("project", None, self._text)
        self.tags = read("tags", {}, self._tags)
        self.destination = read("destination", None, self._text) or "receiver"
        self.folder = read("folder", None, self._text)
        if odd and not quiet:
            logger.warning("Bobbin cannot use these settings and goes by its defaults: %s.", ", ".join(odd))

    def _said(self, key, coiled):
        """The answers of whoever registered and of this process, those that have one."""
        own = _config(key)
        if own is None and coiled is not None:
            own = _coiled(coiled)
        return [value for value in (self.given.get(key), own) if value is not None]

    def _any(self, key, coiled):
        return any(_true(value) for value in self._said(key, coiled))

    def _all(self, key, coiled, default):
        """A switch is on only where nobody turned it off."""
        said = self._said(key, coiled)
        return all(_true(value) for value in said) if said else default

    def _first(self, key, coiled=None):
        said = self._said(key, coiled)
        return said[0] if said else None

    def _text(self, key):
        value = self._first(key)
        if isinstance(value, (dict, list, tuple, set)):
            raise ValueError(key)
        return None if value is None or str(value) == "" else str(value)

    def _seconds(self, key, coiled, default):
        value = self._first(key, coiled)
        value = default if value is None else float(dask.utils.parse_timedelta(value))
        if value != value:
            raise ValueError(key)
        return min(max(value, 0.2), 24 * 3600.0)

    def _topics(self, key):
        value = self._first(key, key)
        if value is None:
            return DEFAULT_TOPICS
        if value is False:
            return ()
        if isinstance(value, str):
            value = value.split(",")
        if not isinstance(value, (list, tuple, set, frozenset)):
            raise ValueError(key)
        return tuple(str(topic).strip() for topic in value if str(topic).strip())

    def _tags(self, key):
        value = self._first(key)
        if value is None:
            return {}
        if isinstance(value, str):
            value = dict(pair.split("=", 1) for pair in value.split(",") if "=" in pair)
        if not isinstance(value, dict):
            raise ValueError(key)
        return {_name(key): _name(tag) for key, tag in list(value.items())[:50]}

    def switches(self):
        return {
            "code": self.code,
            "profile": self.profile,
            "remote_close": self.remote_close,
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
        text = text.replace(home + os.sep, "~" + os.sep)
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


def _plain(value, room, depth=0):
    """A JSON value like `value`, of at most `room[0]` parts. Sets become counts and bytes are left out: a set in an event
    may hold every key of a worker, and bytes are somebody's pickle."""
    room[0] -= 1
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else str(value)
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, (set, frozenset)):
        return {"count": len(value)}
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"bytes": len(value)}
    if depth >= 8 or room[0] <= 0:
        return None
    if isinstance(value, dict):
        made = {}
        for key, part in value.items():
            if room[0] <= 0:
                break
            made[_name(key)] = _plain(part, room, depth + 1)
        return made
    if isinstance(value, (list, tuple, deque)):
        made = []
        for part in value:
            if room[0] <= 0:
                break
            made.append(_plain(part, room, depth + 1))
        return made
    try:
        return _cut(repr(value), 1024)
    except Exception:
        return None


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


class _Group:
    """What is known of one TaskGroup object. Its id is made here: names are reused, and `id()` is too."""

    __slots__ = ("held", "id", "mark", "states", "intact", "seconds", "nbytes", "needs")

    def __init__(self, held):
        self.held = held
        self.id = uuid.uuid4().hex
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
        self.states = defaultdict(int)
        self.seconds = defaultdict(float)
        self.nbytes = 0
        self.last_stop = 0.0
        # Those whose row was written in this beat; computations ask.
        self.touched = set()
        self.errors = 0

    def note(self, held):
        group = self.known.get(id(held))
        if group is None:
            group = self.known[id(held)] = _Group(held)
        return group

    def rows(self, alive, now, leaving=False, closing=False):
        """A row for each group that changed since its last row, and a final one for each that Dask has forgotten. None for
        each that was only looked at."""
        for held in list(alive.values()):
            if id(held) not in self.known:
                self.note(held)
                yield None
        for group in list(self.known.values()):
            held = group.held
            try:
                forgotten = alive.get(held.name) is not held
                final = closing or forgotten
                mark = (tuple(held.states.values()), held.nbytes_total, held.stop, len(held.dependencies))
                if mark == group.mark and not final:
                    yield None
                    continue
                row = self._row(group, final, now(), leaving, closing)
            except Exception:
                # One group that cannot be read must not hide the others.
                self.errors += 1
                continue
            group.mark = mark
            self.touched.add(id(held))
            yield "task_group", group.id, row
            if forgotten:
                for state, count in group.states.items():
                    self.states[state] -= count
            if final and not closing:
                # What a closing scheduler still knows counts in its last sample, and computations ask for it.
                del self.known[id(held)]

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
        for needed in held.dependencies:
            if id(needed) not in group.needs:
                other = self.known.get(id(needed))
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
    at, group_id, name, prefix, states, seconds, nbytes, types, start, stop, needs, final = row
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
        "final": final,
    }


# Computations


class _Computation:
    __slots__ = ("held", "id", "groups", "codes", "sent", "stopped")

    def __init__(self, held):
        self.held = held
        self.id = str(held.id)
        self.groups = {}
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
        """Takes references to the computation's groups, before Dask can forget them. True if it is a new one."""
        computation = self.known.get(id(held))
        new = computation is None
        if new:
            computation = self.known[id(held)] = _Computation(held)
        if len(held.groups) != len(computation.groups):
            for group in held.groups:
                computation.groups[id(group)] = self.groups.note(group).id
        return new

    def rows(self, current, now, idle, closing=False):
        for computation in list(self.known.values()):
            held = computation.held
            codes = len(held.code) if self.code else 0
            empty_stop = idle or closing if not held.groups else None
            mark = (len(computation.groups), codes, empty_stop)
            touched = not self.groups.touched.isdisjoint(computation.groups)
            if touched or mark != computation.sent:
                with_code = codes != computation.codes
                computation.codes = codes
                computation.sent = mark
                # A record with code stands alone in the queue, so that a later one cannot replace it before it is sent.
                key = (computation.id, codes) if with_code else computation.id
                yield "computation", key, self._record(computation, now(), empty_stop, with_code)
            gone = not any(group in self.groups.known for group in computation.groups)
            if closing or (gone and held is not current and (computation.groups or empty_stop)):
                del self.known[id(held)]

    def _record(self, computation, at, empty_stop, with_code):
        held = computation.held
        states = Counter()
        for group in held.groups:
            known = self.groups.known.get(id(group))
            for state, count in (group if known is None else known).states.items():
                states[state] += count
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
            "groups": list(computation.groups.values())[:20000],
            "states": _states(states),
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


# Failures: counted by group, type and the head of the message; text only


REPR = re.compile(r"([A-Za-z_][\w.]*)\(")
DIGITS = re.compile(r"\d+")


def _told(text):
    """Type and message out of the `repr` of an exception."""
    match = REPR.match(text)
    if not match:
        return "Exception", text
    kind = match.group(1)
    inner = text[match.end() :]
    if inner.endswith(")"):
        inner = inner[:-1]
    if len(inner) < 20000:
        try:
            arguments = ast.literal_eval("(" + inner + ",)") if inner else ()
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return kind, inner
        if not arguments:
            return kind, ""
        if kind in ("SyntaxError", "IndentationError", "TabError"):
            # Its other arguments are a line of source and where that is.
            return kind, str(arguments[0])
        if len(arguments) == 1 and isinstance(arguments[0], str):
            return kind, repr(arguments[0]) if kind == "KeyError" else arguments[0]
    return kind, inner


def _pickled_type(data):
    """Name of the class whose instance a pickle holds, read from its text without loading anything."""
    words = []
    try:
        for position, (opcode, argument, _) in enumerate(pickletools.genops(bytes(data))):
            if opcode.name == "GLOBAL":
                return argument.split(" ")[-1]
            if opcode.name == "STACK_GLOBAL":
                return words[-1]
            if isinstance(argument, str):
                words.append(argument)
            if position > 20:
                break
    except Exception:
        pass
    return "Exception"


PLACE = re.compile(r'  File ".*", line \d+(, in .*)?\Z')


def _without_code(traceback):
    """A traceback's places without the lines of source, and whatever marks them, that stand below each."""
    return "\n".join(line for line in traceback.split("\n") if not line[:1].isspace() or PLACE.match(line))


class _Failures:
    def __init__(self, groups, code=True):
        self.groups = groups
        self.code = code
        self.known = {}
        self.by_key = OrderedDict()
        self.changed = OrderedDict()
        self.erred = 0
        self.uncounted = 0

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
        entry = self.known.get((group.id, dask_made, head))
        if entry is None:
            if len(self.known) >= FAILURES:
                self.uncounted += 1
                return True
            if dask_made:
                kind = head
                message = "Dask gave up task %s" % _name(key)
                if kind == "KilledWorker":
                    if task.suspicious == 1:
                        message += ": worker %s died while it ran it" % worker
                    else:
                        message += ": %d workers died while they ran it, the last was %s" % (task.suspicious, worker)
            else:
                kind, message = _told(exception_text or "")
            if traceback_text and not self.code:
                traceback_text = _without_code(traceback_text)
            entry = self.known[(group.id, dask_made, head)] = {
                "kind": "exception",
                "at_micros": at,
                "exception_id": uuid.uuid4().hex,
                "group_id": group.id,
                "group": _name(task.group.name),
                "origin": "dask" if dask_made else "user",
                "exception_type": _name(kind),
                "message": _cut(_tilde(message), MESSAGE_BYTES),
                "traceback": _cut(_tilde(traceback_text), TRACEBACK_BYTES, True) if traceback_text else None,
                "worker": _optional_name(worker),
                "first_seen_micros": at,
                "last_seen_micros": at,
                "count": 0,
                "dependents": 0,
            }
        entry["count"] += 1
        entry["last_seen_micros"] = at
        self.changed[entry["exception_id"]] = entry
        self.by_key[key] = entry
        if len(self.by_key) > 10000:
            self.by_key.popitem(last=False)
        return True

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
        raise ValueError("bobbin.receiver must begin with unix:///, http:// or https://")
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
                raise ValueError("the token is not one word of plain letters and digits")
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
            raise ValueError("%s names no way to the receiver" % self.address_file)
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
        if target.pin:
            sock = self._secure(sock)
        sock.settimeout(self.timeout)
        self.sock = sock

    def _secure(self, sock):
        """The certificate is compared before a byte of ours is sent; who signed it and for which name do not matter."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        try:
            secured = context.wrap_socket(sock, server_hostname=self.target.host)
        except BaseException:
            sock.close()
            raise
        presented = hashlib.sha256(secured.getpeercert(binary_form=True)).hexdigest()
        if not hmac.compare_digest(presented, self.target.pin):
            secured.close()
            raise ssl.SSLError("the receiver's certificate is not the one that was agreed on")
        return secured


class _Reply:
    """What a batch met: `kept` by the receiver, to be tried `again`, `split` or `dropped`."""

    def __init__(self, verdict, stop=None, retry_after=None, why=None):
        self.verdict, self.stop, self.retry_after, self.why = verdict, stop, retry_after, why


class _Receiver:
    """Sends batches to a receiver over one kept connection."""

    def __init__(self, settings):
        self.finder = _Finder(settings)
        self.connection = None
        self.place = None

    def signature(self):
        return self.finder.signature()

    def _open(self):
        problem = OSError("Bobbin is not running here")
        for target in self.finder.targets():
            connection = _Connection(target, 10.0)
            try:
                connection.connect()
            except OSError as error:
                problem = error
                continue
            self.place = str(target)
            self.connection = connection
            return
        raise problem

    def close(self):
        connection, self.connection = self.connection, None
        if connection is not None:
            connection.close()

    def post(self, batch):
        """The receiver's verdict. Raises anything when there is none: what answers may be no receiver."""
        fresh = self.connection is None
        if fresh:
            self._open()
        try:
            status, headers, body = self._exchange(batch)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            if fresh or isinstance(error, socket.timeout):
                raise
            # The receiver may have closed an idle connection: once more on a new one.
            self._open()
            try:
                status, headers, body = self._exchange(batch)
            except BaseException:
                self.close()
                raise
        return self._judge(status, headers, body, batch)

    def _exchange(self, batch):
        headers = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
        if self.connection.target.token:
            headers["Authorization"] = "Bearer " + self.connection.target.token
        self.connection.request("POST", "/v1/batches", batch.body, headers)
        response = self.connection.getresponse()
        body = response.read(ANSWER_BYTES + 1)
        if response.will_close or not response.isclosed():
            self.close()
        return response.status, response.headers, body

    def _judge(self, status, headers, body, batch):
        if status == 200:
            if len(body) > ANSWER_BYTES:
                raise ValueError("something else than Bobbin answers at %s" % self.place)
            answer = json.loads(body.decode("utf-8"))
            if answer.get("instance_id") != batch.instance_id or answer.get("first_seq") != batch.first_seq:
                raise ValueError("something else than Bobbin answers at %s" % self.place)
            return _Reply("kept", stop=answer.get("stop"))
        if status == 413:
            return _Reply("split")
        if status in (401, 403):
            self.close()
            return _Reply("again", why="%s refuses the token" % self.place)
        if status == 429 or status >= 500 or status < 400:
            wait = headers.get("Retry-After") or ""
            return _Reply("again", retry_after=int(wait) if wait.isdigit() else None, why="%s answers %d" % (self.place, status))
        return _Reply("dropped", why="%s answers %d" % (self.place, status))


class _File:
    """Appends batches to a file: one gzip member each, so that `zcat` reads it."""

    def __init__(self, settings, cluster_id, instance_id):
        self.folder = os.path.expanduser(settings.folder or os.path.join(_data_dir(settings), "outbox"))
        stem = re.sub(r"[^A-Za-z0-9._-]", "_", "%s-%s" % (cluster_id, instance_id))
        self.place = os.path.join(self.folder, stem + ".bobbin")
        self.descriptor = None

    def signature(self):
        return None

    def post(self, batch):
        if self.descriptor is None:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
            self.descriptor = os.open(self.place, flags, 0o600)
        start = os.lseek(self.descriptor, 0, os.SEEK_CUR)
        try:
            rest = memoryview(batch.body)
            while rest:
                rest = rest[os.write(self.descriptor, rest) :]
        except OSError:
            # A full disk: no half batch is left behind.
            os.ftruncate(self.descriptor, start)
            os.lseek(self.descriptor, start, os.SEEK_SET)
            raise
        return _Reply("kept")

    def close(self):
        descriptor, self.descriptor = self.descriptor, None
        if descriptor is not None:
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


# The outbox: a queue bounded by bytes, and the thread that empties it


class _Batch:
    """Numbered lines and their bytes. Once made it stays as it is, so that it may be sent any number of times."""

    def __init__(self, outbox, first_seq, lines):
        self.instance_id = outbox.clock.instance_id
        self.first_seq = first_seq
        self.lines = lines
        header = {
            "kind": "header",
            "protocol": PROTOCOL,
            "cluster_id": outbox.cluster_id,
            "instance_id": self.instance_id,
            "first_seq": first_seq,
            "records": len(lines),
            "sent_at_micros": outbox.clock.now(),
            "monotonic_micros": outbox.clock.monotonic(),
            "plugin_version": __version__,
        }
        text = b"\n".join([_encode(header)] + [line for _, line in lines]) + b"\n"
        self.body = gzip.compress(text, 6, mtime=0)


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
    """Rows come in from the event loop, batches go out of the thread. Whatever is shed is counted and told."""

    # Which line goes first when there are too many: samples, events, what a later line replaces anyway, then the rest.
    RANKS = {"sample": 0, "event": 1, "task_group": 2, "computation": 2}

    def __init__(self, settings, cluster_id, clock, facts, on_stop):
        self.settings = settings
        self.cluster_id = _name(cluster_id)
        self.clock = clock
        self.facts = facts
        self.on_stop = on_stop
        self.wake = threading.Condition()
        self.inbox = deque()
        self.inbox_rows = 0
        self.closing = False
        self.done = threading.Event()
        # Read by the event loop without a lock: plain numbers.
        self.sent_bytes = 0
        self.held = 0
        self.errors = 0
        self.hopeless = False
        self.failing_since = None
        self.sending_since = None
        # The thread's own.
        self.lines = tuple(OrderedDict() for _ in range(4))
        self.bytes = 0
        self.serial = 0
        self.next_seq = 1
        self.batches = deque()
        self.shed = Counter()
        self.process = os.getpid()
        self.delay = 0.5
        self.next_try = 0.0
        self.give_up = 0.0
        self.announced = False
        self.told = set()
        if settings.destination == "file":
            self.door = _File(settings, cluster_id, clock.instance_id)
        else:
            self.door = _Receiver(settings)
        self.seen = None
        self.thread = threading.Thread(target=self._run, name="bobbin-outbox", daemon=True)

    def offer(self, rows):
        """Takes rows (kind, key, row); called on the event loop."""
        if os.getpid() != self.process:
            # Forked off: there is no thread, and the lock may be held for ever.
            return
        with self.wake:
            if self.inbox_rows + len(rows) > INBOX_RECORDS:
                self.shed.update((kind, "queue_full") for kind, _, _ in rows)
            else:
                self.inbox.append(rows)
                self.inbox_rows += len(rows)
            self.wake.notify()

    def close(self):
        """Sends what is there, beginning at once, and then ends."""
        if os.getpid() != self.process:
            return
        with self.wake:
            self.closing = True
            self.delay = 0.1
            self.next_try = 0.0
            self.give_up = time.monotonic() + GIVE_UP_SECONDS
            self.wake.notify()

    def waiting(self):
        """Records that the receiver does not have yet."""
        return self.inbox_rows + self.held

    def silent(self):
        """Whether there is little hope for an answer soon."""
        now = time.monotonic()
        return self.failing_since is not None or (self.sending_since is not None and now - self.sending_since > 2.0)

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
                    self.hopeless = self.closing
                    if self.closing and time.monotonic() >= self.give_up:
                        break
                    time.sleep(wait)
                    wait = min(wait * 2, 60.0)
        finally:
            try:
                self.door.close()
            except Exception:
                logger.debug("Bobbin's connection did not close", exc_info=True)
            self.done.set()

    def _step(self):
        """Takes what came in and tries to send once. False when all is done."""
        for kind, key, row in self._take():
            self._add(kind, key, row)
        if self._pending() and time.monotonic() >= self.next_try:
            self._send()
        self.held = sum(len(shelf) for shelf in self.lines) + sum(len(batch.lines) for batch in self.batches)
        if not self.closing or self.inbox:
            return True
        return self._pending() and time.monotonic() < self.give_up

    def _pending(self):
        return bool(self.batches) or any(self.lines) or bool(self.shed)

    def _take(self):
        """All rows of the inbox. Waits for some, for the time of the next try, or for a receiver to appear."""
        with self.wake:
            if not self.inbox:
                if self._pending():
                    self._wait(min(self.next_try - time.monotonic(), 0.5))
                elif not self.closing:
                    self._wait(None)
            taken = list(self.inbox)
            self.inbox.clear()
            self.inbox_rows = 0
        if self.failing_since is not None and self.door.signature() != self.seen:
            self.delay = 0.5
            self.next_try = 0.0
        return [row for rows in taken for row in rows]

    def _wait(self, seconds):
        if seconds is None or seconds > 0:
            self.wake.wait(seconds)

    def _add(self, kind, key, row):
        try:
            if kind == "task_group":
                never = row[-1]
                record = _task_group_record(row)
            elif kind == "cluster":
                never = True
                record = dict(row, **self.facts())
            else:
                never = isinstance(key, tuple)
                record = row
            line = _encode(record)
            if kind == "event" and len(line) > EVENT_BYTES:
                record = dict(record, payload={"cut_bytes": len(line), "head": line[:4096].decode("utf-8", "ignore")})
                line = _encode(record)
        except Exception:
            logger.debug("Bobbin could not write a %s record", kind, exc_info=True)
            self._lose(kind, "not_writable")
            return
        self.serial += 1
        shelf = self.lines[3 if never else self.RANKS.get(kind, 3)]
        # A later record of the same thing holds all of the earlier one.
        place = (kind, key) if key is not None else self.serial
        if kind == "task_group" and never:
            self._remove(self.lines[2], place)
        self._remove(shelf, place)
        shelf[place] = (self.serial, kind, line)
        self.bytes += len(line)
        if self.bytes > QUEUE_BYTES:
            self._make_room()

    def _remove(self, shelf, place):
        old = shelf.pop(place, None)
        if old is not None:
            self.bytes -= len(old[2])

    def _make_room(self):
        for rank, limit in ((0, QUEUE_BYTES), (1, QUEUE_BYTES), (2, QUEUE_BYTES), (3, 2 * QUEUE_BYTES)):
            shelf = self.lines[rank]
            while shelf and self.bytes > limit:
                _, (_, kind, line) = shelf.popitem(last=False)
                self.bytes -= len(line)
                self._lose(kind, "queue_full")

    def _lose(self, kind, why):
        with self.wake:
            self.shed[(kind, why)] += 1

    def _next_batch(self):
        if self.shed:
            with self.wake:
                shed, self.shed = self.shed, Counter()
            for (kind, why), count in shed.items():
                record = {"kind": "dropped", "at_micros": self.clock.now(), "what": kind, "count": count, "reason": why}
                self._add("dropped", None, record)
        chosen, size = [], 0
        while len(chosen) < BATCH_RECORDS and size < BATCH_BYTES:
            shelves = [shelf for shelf in self.lines if shelf]
            if not shelves:
                break
            # The oldest line of all shelves: each shelf is in the order of its lines' arrival.
            shelf = min(shelves, key=lambda shelf: next(iter(shelf.values()))[0])
            _, (_, kind, line) = shelf.popitem(last=False)
            self.bytes -= len(line)
            chosen.append((kind, line))
            size += len(line)
        batch = _Batch(self, self.next_seq, chosen)
        self.next_seq += len(chosen)
        return batch

    def _send(self):
        """Tries the oldest batch once."""
        if not self.batches:
            self.batches.append(self._next_batch())
        batch = self.batches[0]
        self.seen = self.door.signature()
        self.sending_since = time.monotonic()
        try:
            reply = self.door.post(batch)
        except Exception as error:
            # Whatever answers there may answer anything.
            self.door.close()
            self.hopeless = self.closing
            reply = _Reply("again", why="%s (%s)" % (error, type(error).__name__))
        finally:
            self.sending_since = None
        if reply.verdict == "again":
            self._back_off(reply)
            return
        self.failing_since = None
        self.delay = 0.5
        self.next_try = 0.0
        if reply.verdict == "split" and len(batch.lines) > 1:
            half = len(batch.lines) // 2
            self.batches[0] = _Batch(self, batch.first_seq, batch.lines[:half])
            self.batches.insert(1, _Batch(self, batch.first_seq + half, batch.lines[half:]))
            return
        self.batches.popleft()
        if reply.verdict == "kept":
            self.sent_bytes += len(batch.body)
            self._announce()
            if isinstance(reply.stop, dict):
                self.on_stop(reply.stop)
            self.hopeless = False
            return
        self._tell(reply.why)
        for kind, _ in batch.lines:
            # That a `dropped` record was refused is not told again: it would never end.
            if kind != "dropped":
                self._lose(kind, "too_large" if reply.verdict == "split" else "refused")

    def _back_off(self, reply):
        now = time.monotonic()
        if self.failing_since is None:
            self.failing_since = now
        wait = self.delay if reply.retry_after is None else min(max(reply.retry_after, 0.5), 60.0)
        self.next_try = now + wait
        self.delay = min(self.delay * 2, 60.0)
        self._tell(reply.why)

    def _announce(self):
        if not self.announced:
            self.announced = True
            settings = self.settings
            sent = ["metrics", "names", "exceptions"] + (["code"] if settings.code else [])
            sent += ["events of " + ", ".join(settings.events)] if settings.events else []
            logger.info(
                "Bobbin: this cluster reports every %g s to %s: %s. To stop that, set DASK_BOBBIN__DISABLED=true.",
                settings.interval,
                self.door.place,
                "; ".join(sent),
            )

    def _tell(self, why):
        """Says each problem once, and never more than a few."""
        if why and why not in self.told and len(self.told) < 5:
            self.told.add(why)
            logger.info("Bobbin: %s. Reports are kept and sent later; the cluster is not affected.", why)


# What the scheduler's process says of itself; read in the thread, since it may touch files


PACKAGES = ("dask", "distributed", "msgpack", "cloudpickle", "toolz", "tornado", "numpy", "pandas", "pyarrow", "lz4")


def _versions():
    try:
        from importlib import metadata
    except ImportError:
        return {}
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except Exception:
            continue
    return found


def _ask(function):
    try:
        return _optional_name(function())
    except Exception:
        return None


class _Facts:
    def __init__(self):
        self.made = None

    def __call__(self):
        if self.made is None:
            self.made = {
                "user": _ask(getpass.getuser),
                "host": _ask(socket.gethostname),
                "versions": _versions(),
                "python_version": platform.python_version(),
                "python_path": _optional_name(_tilde(sys.executable or None)),
                "os": _ask(lambda: " ".join((platform.system(), platform.release())).strip()),
                "architecture": _ask(platform.machine),
            }
        return self.made


# One attachment to one scheduler. Everything here runs on the scheduler's event loop


def _version_of(text):
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


# Before, the attribute stayed at the scheduler's start unless an idle timeout was set.
IDLE_SINCE_HOLDS = _version_of(distributed.__version__) >= (2023, 3, 2)


class _Kept:
    """What an attachment knew when it ended while its scheduler lived on; another to the same scheduler goes on from here."""

    def __init__(self, groups, computations, threads, threads_read):
        self.groups, self.computations, self.threads, self.threads_read = groups, computations, threads, threads_read


class _Base:
    """Sums that an earlier attachment has told; what this one tells begins at 0."""

    def __init__(self, seconds, nbytes, thread_seconds):
        self.seconds, self.nbytes, self.thread_seconds = seconds, nbytes, thread_seconds


# By scheduler: the attachment at work, and what the last one left.
_AT_WORK = weakref.WeakKeyDictionary()
_LEFT = weakref.WeakKeyDictionary()


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
        self.threads = (0.0, 0, 0.0)
        self.threads_read = 0
        self.base = _Base({}, 0, 0.0)
        self._take_over()
        self.failures = _Failures(self.groups, settings.code)
        self.events = []
        self.events_lost = 0
        self.errors = 0
        self.cost = 0
        self.active_at = time.time()
        self.cluster_sent = None
        self.cluster_looks = 0
        self.workers_seen = None
        self.cluster_found = (None, None)
        self.nonces = set()
        self.reason = None
        self.finished = False
        # Whether it ended without the scheduler, and whether the plugin was among the scheduler's at all.
        self.left = False
        self.was_there = False
        self.ended_at = None
        self.timer = None
        self.planned = 0.0
        self.last_beat = 0.0
        self.steps = None
        self.cpu = 0.0
        self.gap = settings.interval
        # A process that is forked off has all of this, and none of it is its business.
        self.process = os.getpid()
        self.outbox = _Outbox(settings, scheduler.id, self.clock, _Facts(), self._ordered)

    def _take_over(self):
        """Goes on from what an earlier attachment to this scheduler knew, so that nothing is told twice. The first takes
        what Dask has summed up so far."""
        scheduler = self.scheduler
        earlier = _AT_WORK.get(scheduler, lambda: None)()
        if earlier is not None:
            earlier.leave()
        kept = _LEFT.pop(scheduler, None)
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
        self._plan(0.0)

    # The timer: its own, since it must know how late it was called

    def _plan(self, delay):
        if self.timer is not None:
            self.timer.cancel()
        self.planned = self.loop.time() + delay
        self.timer = self.loop.call_at(self.planned, self._tick)

    def soon(self, delay, gap):
        """Moves the next beat forward, at least `gap` seconds behind the last one."""
        if self.finished or self.steps is not None:
            return
        at = max(self.loop.time() + delay, self.last_beat + max(min(gap, self.settings.interval), self.cpu * BEATS_APART))
        if at < self.planned - 0.05:
            self._plan(at - self.loop.time())

    def _tick(self):
        try:
            if self.finished or os.getpid() != self.process:
                return
            if self.steps is None and _is_closing(self.scheduler):
                # Its workers go first: what is left of them is not news, and the last beat comes with the scheduler's end.
                self._plan(self.settings.interval)
                return
            if self.steps is None and self._is_removed():
                self.leave()
                return
            if self.steps is None:
                lag = self.loop.time() - self.planned
                self.last_beat = self.loop.time()
                self.cpu = 0.0
                self.steps = self._beat(lag, False)
            if self._go_on():
                self._plan(0.02)
            else:
                self._pace()
                self._plan(self.gap)
        except Exception:
            self.errors += 1
            self.steps = None
            self._plan(self.gap)

    def _pace(self):
        """Never more than half a percent of the loop's time, whatever the interval says. A longer gap is told at once: a
        silence that nobody was told of looks like a cluster that is lost."""
        need = self.cpu * BEATS_APART
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
        wall, cpu = time.perf_counter(), time.thread_time()
        try:
            for rows in self.steps:
                self.outbox.offer(rows)
                return True
            self.steps = None
            return False
        finally:
            self.cost += round((time.perf_counter() - wall) * 1e6)
            self.cpu += time.thread_time() - cpu

    def _beat(self, lag, closing):
        """Reads everything; yields lists of rows. Ends with the sample, whose sums cover the rows before it."""
        scheduler = self.scheduler
        now = self.clock.now
        self._wake()
        rows = []
        cluster = self._cluster()
        if cluster is not None:
            rows.append(("cluster", "cluster", cluster))
        current = scheduler.computations[-1] if scheduler.computations else None
        if current is not None:
            self.computations.note(current)
        self.groups.touched = set()
        # A cluster that closes sends its workers away first, one after the other.
        leaving = _is_closing(scheduler)
        steps = 0
        for row in self.groups.rows(scheduler.task_groups, now, leaving or not scheduler.workers, closing):
            if row is None:
                steps += 1
            else:
                steps += ROW_STEPS
                rows.append(row)
            if steps >= SLICE_STEPS and not closing:
                yield rows
                rows, steps = [], 0
        idle_since = self._idle_since()
        self._extend(rows, self.computations.rows(current, now, idle_since is not None, closing))
        self._extend(rows, self.failures.rows(now()))
        self._extend(rows, self._take_events())
        rows.append(("sample", None, self._sample(lag, idle_since, leaving)))
        yield rows

    def _extend(self, rows, more):
        try:
            rows.extend(more)
        except Exception:
            self.errors += 1

    # What is read

    def _cluster(self):
        """The cluster's record where it differs from the last; the thread adds what the process knows of itself."""
        scheduler, settings = self.scheduler, self.settings
        if self.cluster_found[0] is None and self.cluster_looks < 20:
            self.cluster_looks += 1
            found = _cluster_object(scheduler)
            if found is not None:
                self.cluster_found = type(found).__name__, found.name
        kind, name = self.cluster_found
        record = {
            "kind": "cluster",
            "name": _optional_name(settings.name or name),
            "cluster_class": kind,
            "scheduler_address": _ask(lambda: scheduler.address),
            "dashboard_url": _ask(lambda: _dashboard(scheduler)),
            "started_micros": _micros(scheduler.time_started) or self.began,
            "project": _optional_name(settings.project),
            "tags": settings.tags,
            "plugin_version": __version__,
            "interval_micros": round(self.gap * 1e6),
            "switches": settings.switches(),
        }
        if record == self.cluster_sent:
            return None
        self.cluster_sent = record
        return dict(record, at_micros=self.clock.now())

    def _idle_since(self):
        """Wall clock of the moment since when nothing runs and nothing waits; null while busy."""
        scheduler = self.scheduler
        if scheduler.unrunnable or getattr(scheduler, "queued", None):
            return None
        if any(worker.processing for worker in scheduler.workers.values()):
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
                total += max(at - since, 0.0) * count
                since, count = max(at, since), threads
            self.threads_read = len(history)
            self.threads = since, count, total
            return total + max(now - since, 0.0) * count
        total += max(now - since, 0.0) * count
        self.threads = now, self.scheduler.total_nthreads, total
        return total

    def _workers(self):
        """How many workers there are, and what they have."""
        scheduler = self.scheduler
        limit = used = managed = spilled = 0
        unlimited = False
        for worker in scheduler.workers.values():
            limit += worker.memory_limit or 0
            unlimited = unlimited or not worker.memory_limit
            memory = worker.metrics.get("memory") or 0
            parts = worker.metrics.get("spilled_bytes")
            in_memory, on_disk = (parts.get("memory") or 0, parts.get("disk") or 0) if isinstance(parts, dict) else (0, 0)
            used += memory
            # As in Dask's own MemoryState: sizes are estimates, the process is not.
            managed += min(memory, max(0, worker.nbytes - in_memory))
            spilled += on_disk
        return {
            "workers": len(scheduler.workers),
            "threads": _whole(scheduler.total_nthreads),
            "memory_limit_bytes": None if unlimited else _whole(limit),
            "memory_used_bytes": _whole(used),
            "memory_managed_bytes": _whole(managed),
            "memory_unmanaged_bytes": _whole(used - managed),
            "memory_spilled_bytes": _whole(spilled),
        }

    def _sample(self, lag, idle_since, leaving):
        groups = self.groups
        if not leaving or self.workers_seen is None:
            # Kept for the last sample: of a cluster that closes, it has what was there before.
            self.workers_seen = self._workers()
        tasks = {state: max(count, 0) for state, count in groups.states.items() if state != "forgotten"}
        base = self.base
        totals = _activities({activity: value - base.seconds.get(activity, 0.0) for activity, value in groups.seconds.items()})
        totals["thread_seconds"] = round(_finite(max(self._thread_seconds() - base.thread_seconds, 0.0)), 6)
        totals["tasks_completed"] = _whole(self.ran_before + self.well + self.failures.erred)
        totals["tasks_erred"] = _whole(self.failures.erred)
        totals["result_bytes"] = _whole(groups.nbytes - base.nbytes)
        record = {
            "kind": "sample",
            "at_micros": self.clock.now(),
            "tasks": tasks,
            "idle_since_micros": _micros(idle_since),
            "loop_lag_micros": None if lag is None else max(round(lag * 1e6), 0),
            "totals": totals,
            "cost": {
                "beat_micros": self.cost,
                "sent_bytes": self.outbox.sent_bytes,
                "hook_errors": self.errors + self.groups.errors + self.outbox.errors,
                "waiting_records": self.outbox.waiting(),
            },
        }
        record.update(self.workers_seen)
        self.cost = 0
        return record

    def _take_events(self):
        events, self.events = self.events, []
        lost, self.events_lost = self.events_lost, 0
        rows = [("event", None, event) for event in events]
        at = self.clock.now()
        for what, count in (("event", lost), ("exception", self.failures.uncounted)):
            if count:
                record = {"kind": "dropped", "at_micros": at, "what": what, "count": count, "reason": "too_many"}
                rows.append(("dropped", None, record))
        self.failures.uncounted = 0
        return rows

    # What Dask tells

    def graph_came(self):
        computations = self.scheduler.computations
        self.active_at = time.time()
        if computations and self.computations.note(computations[-1]):
            self.soon(1.0, max(1.0, self.settings.interval / 4))

    def workers_changed(self):
        self._wake()
        self._thread_seconds()
        if len(self.scheduler.workers) <= FEW_WORKERS and not _is_closing(self.scheduler):
            # A small cluster may be over before the next beat.
            self.workers_seen = self._workers()
        self.soon(0.1, 0.5)

    def _before_a_worker_goes(self):
        """Dask says so while the states are still what they were: afterwards, results that only this worker had are lost."""
        late = self.loop.time() - self.last_beat
        if late > 0.5 or (late > 0.05 and len(self.scheduler.workers) <= 1):
            self.last_beat = self.loop.time()
            self.cpu = 0.0
            self.steps = self._beat(None, False)
            while self._go_on():
                pass

    def task_erred(self, key, kwargs):
        self.active_at = time.time()
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

    def event_came(self, topic, message):
        allowed = self.settings.events
        action = message.get("action") if isinstance(message, dict) else None
        if action == "remove-worker" and topic == "all":
            self._before_a_worker_goes()
        for one in (topic,) if isinstance(topic, str) else topic:
            # Each worker and each client has a topic of its own: those are never sent unless named.
            named = one in allowed or ("*" in allowed and "://" not in one and not one.startswith("Client-"))
            if not named or (allowed is DEFAULT_TOPICS and action in ROUTINE):
                continue
            if len(self.events) >= EVENTS_PER_BEAT:
                self.events_lost += 1
                continue
            self.events.append(
                {
                    "kind": "event",
                    "at_micros": self.clock.now(),
                    "topic": _name(one),
                    "payload": _plain(message, [5000]),
                }
            )
            self.soon(0.5, max(1.0, self.settings.interval / 4))

    # The end

    def finish(self, reason):
        """The last state of everything, and goodbye. Once."""
        if self.finished or os.getpid() != self.process:
            return
        self.finished = True
        self.ended_at = time.monotonic()
        if self.timer is not None:
            self.timer.cancel()
        try:
            # A beat that was cut into slices is replaced by this one.
            self.steps = self._beat(None, True)
            while self._go_on():
                pass
        except Exception:
            self.errors += 1
        self.outbox.offer([("stop", "stop", {"kind": "stop", "at_micros": self.clock.now(), "reason": reason})])
        self.outbox.close()
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
        try:
            self.steps = self._beat(None, False)
            while self._go_on():
                pass
            total = self._thread_seconds()
            self.threads = self.clock.now() / 1e6, self.threads[1], total
        except Exception:
            self.errors += 1
        self.outbox.close()
        atexit.unregister(self.at_exit)
        _AT_WORK.pop(self.scheduler, None)
        _LEFT[self.scheduler] = _Kept(self.groups, self.computations, self.threads, self.threads_read)

    def why(self):
        """Why the scheduler closes, as far as it can be told."""
        if self.reason is not None:
            return self.reason
        timeout = getattr(self.scheduler, "idle_timeout", None)
        if timeout and self._idle_since() and time.time() - self._idle_since() >= timeout:
            return "idle_timeout"
        return "closed"

    def patience(self):
        """Whether to wait on for the last batch. However many hooks ask: five seconds in all where somebody answers, a
        fifth of one where nobody does, and nothing once the last try came to nothing."""
        if self.ended_at is None:
            self.ended_at = time.monotonic()
        if self.outbox.done.is_set() or self.outbox.hopeless or os.getpid() != self.process:
            return False
        return time.monotonic() - self.ended_at < (SILENT_DRAIN_SECONDS if self.outbox.silent() else DRAIN_SECONDS)

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
                    self.loop.call_soon_threadsafe(end)
                    ended.wait(1.0)
                if not ended.is_set() and not self.finished:
                    self.finish("exit")
            while self.patience():
                time.sleep(0.01)
        except Exception:
            logger.debug("Bobbin could not say goodbye", exc_info=True)

    def _ordered(self, order):
        """Bobbin's user asked to close this cluster; called in the thread, with the answer to a batch."""
        try:
            self.loop.call_soon_threadsafe(self._obey, order)
        except RuntimeError:
            logger.debug("Bobbin: the cluster is closed already")

    def _obey(self, order):
        try:
            nonce = order.get("nonce")
            if not self.settings.remote_close or self.finished or not nonce or nonce in self.nonces:
                return
            if order.get("instance_id") != self.clock.instance_id or order.get("expires_micros", 0) < time.time() * 1e6:
                return
            self.nonces.add(nonce)
            logger.info("Bobbin: closing the cluster, as its user asked.")
            self.reason = "remote_close"
            asyncio.ensure_future(_close(self.scheduler))
        except Exception:
            self.errors += 1


async def _close(scheduler):
    try:
        cluster = _cluster_object(scheduler)
        if cluster is not None:
            # Through its owner, which would otherwise wait half a minute for a scheduler that is gone.
            closing = cluster.close()
            if asyncio.iscoroutine(closing) or isinstance(closing, asyncio.Future):
                await closing
            return
        try:
            await scheduler.close(reason="bobbin-remote-close")
        except TypeError:
            # Before 2023 it took no reason.
            await scheduler.close()
    except Exception:
        logger.info("Bobbin: the cluster did not close", exc_info=True)


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
        self._run = None

    def __reduce__(self):
        return eval, (_expression(self._given),)

    async def start(self, scheduler):
        self._attach(scheduler)

    def _attach(self, scheduler):
        """Begins to report. A second call changes nothing; where another plugin of ours is at work, this one joins it."""
        try:
            if self._run is not None and not self._run.left:
                return
            settings = Settings(self._given)
            if settings.disabled:
                return
            plugins = scheduler.plugins
            for other in list(plugins.values() if isinstance(plugins, dict) else plugins):
                run = getattr(other, "_run", None)
                if getattr(other, "name", None) == self.name and run is not None and not run.finished:
                    run.owner = self
                    self._run = run
                    return
            run = _Run(scheduler, settings, asyncio.get_event_loop())
            run.owner = self
            run.begin()
            self._run = run
        except Exception:
            logger.info("Bobbin could not attach; the cluster is not affected", exc_info=True)

    def _mine(self):
        run = self._run
        return run if run is not None and run.owner is self and not run.finished else None

    def transition(self, key, start, finish, *args, **kwargs):
        run = self._run
        if finish == "memory":
            # Run to its end; data that a client or a returning worker brings does not come from `processing`.
            if start == "processing" and run is not None and run.owner is self:
                run.well += 1
            return
        if finish != "erred":
            return
        run = self._mine()
        if run is not None:
            try:
                run.task_erred(key, kwargs)
            except Exception:
                run.errors += 1

    def update_graph(self, scheduler, *args, **kwargs):
        if self._run is None or self._run.left:
            # Added to a running scheduler, which starts nothing.
            self._attach(scheduler)
        self._do("graph_came")

    def add_worker(self, scheduler, worker, *args, **kwargs):
        if self._run is None or self._run.left:
            self._attach(scheduler)
        self._do("workers_changed")

    def remove_worker(self, scheduler, worker, *args, **kwargs):
        self._do("workers_changed")

    def restart(self, scheduler, *args, **kwargs):
        self._do("workers_changed")

    def log_event(self, topic, msg):
        self._do("event_came", topic, msg)

    def _do(self, what, *arguments):
        run = self._mine()
        if run is not None:
            try:
                getattr(run, what)(*arguments)
            except Exception:
                run.errors += 1

    async def before_close(self):
        run = self._run
        if run is None or run.owner is not self:
            return
        try:
            run.finish(run.why())
            await run.drained()
        except Exception:
            run.errors += 1

    async def close(self):
        # Dask before 2022.4 has no `before_close`.
        await self.before_close()


def dask_setup(scheduler):
    """Called by Dask for a preload of the scheduler. Never raises: that would stop some versions of it from starting."""
    preload(scheduler)


def preload(scheduler, given=None):
    try:
        if not hasattr(scheduler, "task_groups"):
            return
        plugins = scheduler.plugins
        if BobbinPlugin.name in [getattr(other, "name", None) for other in list(plugins.values())]:
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
    plugin = BobbinPlugin(given)
    if hasattr(client, "register_plugin"):
        return client.register_plugin(plugin, name=plugin.name)
    return client.register_scheduler_plugin(plugin, name=plugin.name, idempotent=True)


def capture_code(settings):
    """Has Dask record the code around calls of `compute`: since 2023.4 it does so only where the client asks."""
    key = "distributed.diagnostics.computations.nframes"
    if settings.code and not settings.disabled and dask.config.get(key, None) == 0:
        dask.config.set({key: 2})


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
        ").BobbinPlugin(given))(__import__('sys'), __import__('types'), %r, %r, %r)" % (given, source_digest(), _source())
    )
