"""Bobbin's file, asked in SQL. Only what its own documentation of the schema names is used."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import pathlib
import re
import sqlite3
import sys
import time
from typing import Any, Dict, Generator, List, Optional, Sequence, Tuple, Union

from .errors import BobbinError
from .rows import Cluster, Computation, Event, ExceptionRow

APPLICATION_ID = int.from_bytes(b"Bobb", "big")
#: The oldest schema that has all that is asked for here.
OLDEST_SCHEMA = 18
#: A question waits so long for a writer.
BUSY_SECONDS = 10.0

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
SPAN = re.compile(
    r"\s*(\d+(?:\.\d+)?)\s*(s|m|h|d|w|secs?|seconds?|mins?|minutes?|hours?|days?|weeks?)\s*\Z"
)

# As Bobbin's own lists have it: for how long no task ended while work was assigned.
QUIET = """t.sample_at_micros - max(coalesce(t.last_completed_micros, 0), coalesce(t.unassigned_at_micros, 0),
    coalesce(t.instance_at_micros, 0)) + max(:now - t.last_heard_micros, 0)"""

# One that fell silent is lost, unless somebody said since that it is over.
SILENT = "case when t.finished_mark_micros >= t.last_heard_micros then 'finished' else 'lost' end"
#: The schema from which on somebody can.
MARKED_SCHEMA = 27

CLUSTERS = (
    """
select
    c.id, c.scheduler_id, c.sample, c.shown_name as name,
    case
        when t.stop_at_micros is not null then 'finished'
        when t.silent_after_micros < :now then {silent}
        when t.idle_since_micros is not null then 'idle'
        when coalesce(t.stall_limit_micros is not null and t.stall_same_stacks is not false and """
    + QUIET
    + """ > t.stall_limit_micros, false) then 'stalled'
        else 'running'
    end as state,
    c.user, c.host, c.project, c.tags, c.started_micros, t.stop_at_micros, t.sample_at_micros, t.last_heard_micros,
    t.workers_peak, t.threads_peak, t.memory_peak_bytes, t.tasks_completed, t.tasks_erred, t.compute_micros, t.thread_micros, t.efficiency, t.result_bytes,
    t.computations, t.exceptions
from cluster as c
join cluster_total as t on t.cluster_id = c.id
where
    (:after is null or t.seen_micros >= :after)
    and (:user is null or c.user = :user)
    and (:ids is null or c.id in (select value from json_each(:ids)))
order by c.started_micros desc, c.id desc
limit :limit
"""
)

COMPUTATIONS = """
with page as (
    select computation_id, coalesce(start_micros, at_micros) as began, start_micros, stop_micros, groups, states
    from computation
    where cluster_id = :cluster
    order by began desc, computation_id
    limit :limit
)
select
    p.computation_id, p.start_micros, p.stop_micros, p.states, k.computation_id is not null as locked,
    coalesce(json_group_array(coalesce(g.name, member.value)) filter (where member.value is not null), '[]') as groups,
    total(g.compute_seconds) as compute_seconds, total(g.transfer_seconds) as transfer_seconds,
    total(g.disk_read_seconds) as disk_read_seconds, total(g.disk_write_seconds) as disk_write_seconds
from page as p
left join json_each(p.groups) as member
left join task_group as g on g.cluster_id = :cluster and g.group_id = member.value
left join computation_code as k on k.cluster_id = :cluster and k.computation_id = p.computation_id
group by p.computation_id
order by p.began desc, p.computation_id
"""

EVENTS = """
select e.seq, e.at_micros, n.text as topic, i.instance_id
from event as e
join instance as i on i.id = e.instance_id
join name as n on n.id = e.topic_id
where e.cluster_id = :cluster
order by e.at_micros desc, e.instance_id desc, e.seq desc
limit :limit
"""

EXCEPTIONS = """
select
    e.exception_id, e.cluster_id, c.shown_name as cluster_name, n.text as type, e.origin, e.group_name, e.worker,
    e.first_seen_micros, e.last_seen_micros, e.count, e.dependents,
    e.message_sealed is not null or e.traceback_sealed is not null as locked
from exception as e
join cluster as c on c.id = e.cluster_id
join name as n on n.id = e.type_id
where
    (:cluster is null or e.cluster_id = :cluster)
    and (:after is null or e.last_seen_micros >= :after)
    and (:user is null or c.user = :user)
order by e.last_seen_micros desc, e.cluster_id desc, e.exception_id desc
limit :limit
"""


def data_dir(given: Union[str, "os.PathLike[str]", None]) -> pathlib.Path:
    """Bobbin's folder: as given, as the environment says, or where it usually is."""
    named = given or os.environ.get("BOBBIN_DATA_DIR")
    if named:
        return pathlib.Path(named).expanduser().absolute()
    home = pathlib.Path.home()
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "bobbin"
    if os.name == "nt":
        return pathlib.Path(os.environ.get("APPDATA") or home) / "bobbin" / "data"
    base = os.environ.get("XDG_DATA_HOME", "")
    return (pathlib.Path(base) if os.path.isabs(base) else home / ".local" / "share") / "bobbin"


@contextlib.contextmanager
def reading(folder: pathlib.Path) -> Generator[sqlite3.Connection, None, None]:
    """One state of the store, which others go on writing to meanwhile."""
    path = folder / "bobbin.sqlite"
    if not path.is_file():
        raise BobbinError(
            "there is no Bobbin in %s: start it once, or pass its folder with data_dir= or BOBBIN_DATA_DIR" % folder
        )
    try:
        db = sqlite3.connect(path.as_uri() + "?mode=ro", uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    except sqlite3.Error as error:
        raise BobbinError("%s cannot be opened: %s" % (path, error)) from error
    try:
        db.row_factory = sqlite3.Row
        db.execute("begin")
        (schema,) = db.execute("pragma user_version").fetchone()
        (application,) = db.execute("pragma application_id").fetchone()
        if application != APPLICATION_ID:
            raise BobbinError("%s is not Bobbin's" % path)
        if schema < OLDEST_SCHEMA:
            raise BobbinError("%s was written by an older Bobbin: start the new one once to upgrade it" % path)
        yield db
    except sqlite3.Error as error:
        raise BobbinError("%s cannot be read: %s; is this package as old as that Bobbin?" % (path, error)) from error
    finally:
        db.close()


def moment(since: Union[str, datetime.timedelta, datetime.datetime, None]) -> Optional[int]:
    """From when on, in microseconds."""
    if since is None:
        return None
    if isinstance(since, datetime.datetime):
        if since.tzinfo is None:
            raise BobbinError("since=%r has no time zone: use datetime.now().astimezone()" % since)
        return int(since.timestamp() * 1e6)
    if isinstance(since, datetime.timedelta):
        seconds = since.total_seconds()
    else:
        told = SPAN.match(since)
        if told is None:
            raise BobbinError("since=%r is not a time like '7 days', '24h' or '90 minutes'" % since)
        seconds = float(told.group(1)) * UNITS[told.group(2)[0]]
    return int((time.time() - seconds) * 1e6)


def at(micros: int) -> datetime.datetime:
    try:
        return datetime.datetime.fromtimestamp(0, datetime.timezone.utc) + datetime.timedelta(microseconds=micros)
    except OverflowError:
        # A clock that told nonsense: as far as a datetime goes.
        end = datetime.datetime.max if micros > 0 else datetime.datetime.min
        return end.replace(tzinfo=datetime.timezone.utc)


def at_or_none(micros: Optional[int]) -> Optional[datetime.datetime]:
    return None if micros is None else at(micros)


def cluster_id(db: sqlite3.Connection, number: Optional[int], scheduler_id: Optional[str]) -> int:
    """The cluster that is meant, by one of its names."""
    if (number is None) == (scheduler_id is None):
        raise BobbinError("name the cluster by cluster_id or by scheduler_id")
    asked: Tuple[str, Any] = ("id", number) if scheduler_id is None else ("scheduler_id", scheduler_id)
    found = db.execute("select id from cluster where %s = ?" % asked[0], asked[1:]).fetchone()
    if found is None:
        raise BobbinError("there is no cluster with %s %r: list_clusters(since=None) lists all" % asked)
    return int(found[0])


def clusters(
    db: sqlite3.Connection,
    after: Optional[int] = None,
    user: Optional[str] = None,
    ids: Optional[Sequence[int]] = None,
    limit: int = 1000,
) -> List[Cluster]:
    asked = {
        "now": int(time.time() * 1e6),
        "after": after,
        "user": user,
        "ids": None if ids is None else json.dumps(list(ids)),
        "limit": limit,
    }
    (schema,) = db.execute("pragma user_version").fetchone()
    silent = SILENT if schema >= MARKED_SCHEMA else "'lost'"
    return [
        {
            "id": row["id"],
            "scheduler_id": row["scheduler_id"],
            "sample": bool(row["sample"]),
            "name": row["name"] or row["scheduler_id"],
            "state": row["state"],
            "user": row["user"],
            "host": row["host"],
            "project": row["project"],
            "tags": json.loads(row["tags"]),
            "started": at(row["started_micros"]),
            "stopped": at_or_none(stopped(row)),
            "last_heard": at(row["last_heard_micros"]),
            "workers_peak": row["workers_peak"],
            "threads_peak": row["threads_peak"],
            "memory_peak_bytes": row["memory_peak_bytes"],
            "tasks_completed": row["tasks_completed"],
            "tasks_erred": row["tasks_erred"],
            "compute_seconds": row["compute_micros"] / 1e6,
            "thread_seconds": row["thread_micros"] / 1e6,
            "efficiency": row["efficiency"],
            "result_bytes": row["result_bytes"],
            "computations": row["computations"],
            "exceptions": row["exceptions"],
        }
        for row in db.execute(CLUSTERS.replace("{silent}", silent), asked)
    ]


def stopped(row: sqlite3.Row) -> Optional[int]:
    """When a finished one stopped: as it said, or at its last sample where a person said that it is over."""
    if row["state"] != "finished":
        return None
    told: List[Optional[int]] = [row["stop_at_micros"], row["sample_at_micros"], row["started_micros"]]
    return next((micros for micros in told if micros is not None), None)


def computations(db: sqlite3.Connection, cluster: int, limit: int) -> List[Computation]:
    return [
        {
            "computation_id": row["computation_id"],
            "cluster_id": cluster,
            "start": at_or_none(row["start_micros"]),
            "stop": at_or_none(row["stop_micros"]),
            "states": json.loads(row["states"]),
            "groups": json.loads(row["groups"]),
            "compute_seconds": row["compute_seconds"],
            "transfer_seconds": row["transfer_seconds"],
            "disk_read_seconds": row["disk_read_seconds"],
            "disk_write_seconds": row["disk_write_seconds"],
            "code": None,
            "locked": bool(row["locked"]),
        }
        for row in db.execute(COMPUTATIONS, {"cluster": cluster, "limit": limit})
    ]


def events(db: sqlite3.Connection, cluster: int, limit: int) -> List[Event]:
    return [
        {
            "cluster_id": cluster,
            "instance_id": row["instance_id"],
            "seq": row["seq"],
            "at": at(row["at_micros"]),
            "topic": row["topic"],
            "payload": None,
            "locked": True,
        }
        for row in db.execute(EVENTS, {"cluster": cluster, "limit": limit})
    ]


def exceptions(
    db: sqlite3.Connection, cluster: Optional[int], after: Optional[int], user: Optional[str], limit: int
) -> List[ExceptionRow]:
    asked: Dict[str, Any] = {"cluster": cluster, "after": after, "user": user, "limit": limit}
    return [
        {
            "exception_id": row["exception_id"],
            "cluster_id": row["cluster_id"],
            "cluster_name": row["cluster_name"],
            "type": row["type"],
            "origin": row["origin"],
            "group": row["group_name"],
            "worker": row["worker"],
            "first_seen": at(row["first_seen_micros"]),
            "last_seen": at(row["last_seen_micros"]),
            "count": row["count"],
            "dependents": row["dependents"],
            "message": None,
            "traceback": None,
            "locked": bool(row["locked"]),
        }
        for row in db.execute(EXCEPTIONS, asked)
    ]
