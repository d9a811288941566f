"""What Bobbin knows, as plain Python: lists of dicts, and a card for a notebook.

    import bobbin
    bobbin.list_clusters(since="7 days")
    pandas.DataFrame(bobbin.list_computations(cluster_id=7))
    bobbin.last()

Bobbin's file is read directly, and only read: while Bobbin writes to it, and while it does not run. Code, messages and payloads
are sealed in it; with `text=True` the `bobbin` command is asked for them, which has the key. Where the file is not, `receiver=`
asks a Bobbin that runs: all of it, by one way. It needs nothing but Python.
"""

from __future__ import annotations

import datetime
import os
import warnings
from typing import Any, Dict, List, Optional, TypeVar, Union

from . import command, store
from .card import Card, card
from .errors import BobbinError
from .receiver import Address, Receiver
from .receiver import cluster as one_cluster
from .rows import Cluster, Computation, Event, ExceptionRow

__all__ = [
    "BobbinError",
    "Card",
    "Cluster",
    "Computation",
    "Event",
    "ExceptionRow",
    "last",
    "list_clusters",
    "list_computations",
    "list_events",
    "list_exceptions",
]

Since = Union[str, datetime.timedelta, datetime.datetime, None]
Folder = Union[str, "os.PathLike[str]", None]
Row = TypeVar("Row")

#: As many rows of a list where nobody says how many.
MOST = 1000


def _asked(limit: Optional[int]) -> int:
    """As many rows as are asked for: one more than are told, where nobody says how many."""
    if limit is None:
        return MOST + 1
    if limit < 0:
        raise BobbinError("limit=%d is below zero" % limit)
    return limit


def _told(rows: List[Row], limit: Optional[int]) -> List[Row]:
    """The rows. Where nobody said how many, it is no secret that there are more."""
    if limit is None and len(rows) > MOST:
        warnings.warn("only the first {:,} rows are listed: pass limit= for more".format(MOST), stacklevel=3)
        return rows[:MOST]
    return rows


def list_clusters(
    *,
    since: Since = "7 days",
    user: Optional[str] = None,
    filter: Optional[str] = None,
    limit: Optional[int] = None,
    data_dir: Folder = None,
    receiver: Optional[Address] = None,
    token: Optional[str] = None,
) -> List[Cluster]:
    """Clusters that reported, newest first.

    Parameters
    ----------
    since
        Only those that were seen within this time, such as ``"7 days"``, ``"90 minutes"`` or a `timedelta`, or after a `datetime`
        with a time zone; ``None`` is all.
    user
        Only those of this user.
    filter
        The language of the page's list, such as ``"state:lost has:exception workers>=10"``; this asks the ``bobbin`` command.
    limit
        At most so many; else 1,000, with a warning where there are more.
    data_dir
        Bobbin's folder, if it is not in the usual place; ``BOBBIN_DATA_DIR`` does the same.
    receiver
        Asks this Bobbin instead of reading the file: ``True`` is the one that runs over the folder, else an address such as
        ``"https://127.0.0.1:8788#sha256=…"``, as the plugin's setting `receiver` takes it.
    token
        The token of that Bobbin; else ``DASK_BOBBIN__TOKEN``, the file that ``DASK_BOBBIN__TOKEN_FILE`` names, or for a receiver on
        this machine the one in the folder.
    """
    folder = store.data_dir(data_dir)
    after, asked = store.moment(since), _asked(limit)
    if receiver is not None:
        with Receiver(receiver, token, folder) as there:
            return _told(there.clusters(after, user, filter, asked), limit)
    if filter is None:
        with store.reading(folder) as db:
            return _told(store.clusters(db, after=after, user=user, limit=asked), limit)
    rows: List[Cluster] = []
    for ids in command.matching(folder, filter):
        with store.reading(folder) as db:
            known = {row["id"] for row in rows}
            page = store.clusters(db, after=after, user=user, ids=ids, limit=asked)
        rows += [row for row in page if row["id"] not in known]
        if len(rows) >= asked:
            break
    return _told(rows[:asked], limit)


def list_computations(
    cluster_id: Optional[int] = None,
    scheduler_id: Optional[str] = None,
    *,
    text: bool = False,
    limit: Optional[int] = None,
    data_dir: Folder = None,
    receiver: Optional[Address] = None,
    token: Optional[str] = None,
) -> List[Computation]:
    """The computations of one cluster, newest first.

    Parameters
    ----------
    cluster_id
        Bobbin's number of the cluster, or
    scheduler_id
        Dask's id of its scheduler.
    text
        With the code that started each, for which the ``bobbin`` command is asked. Without, `code` is ``None``, and `locked` says
        whether there is any.
    data_dir, receiver, token
        As `list_clusters` takes them. A receiver opens the text itself.
    """
    folder = store.data_dir(data_dir)
    if receiver is not None:
        with Receiver(receiver, token, folder) as there:
            return _told(there.computations(there.cluster_id(cluster_id, scheduler_id), _asked(limit), text), limit)
    with store.reading(folder) as db:
        cluster = store.cluster_id(db, cluster_id, scheduler_id)
        rows = _told(store.computations(db, cluster, _asked(limit)), limit)
    if text:
        command.open_computations(folder, cluster, rows)
    return rows


def list_events(
    cluster_id: Optional[int] = None,
    scheduler_id: Optional[str] = None,
    *,
    text: bool = False,
    limit: Optional[int] = None,
    data_dir: Folder = None,
    receiver: Optional[Address] = None,
    token: Optional[str] = None,
) -> List[Event]:
    """The events of one cluster, newest first. `payload` is ``None`` unless `text` asks the ``bobbin`` command for it.

    The parameters are those of `list_computations`. A receiver does not tell `instance_id` and `seq`.
    """
    folder = store.data_dir(data_dir)
    if receiver is not None:
        with Receiver(receiver, token, folder) as there:
            return _told(there.events(there.cluster_id(cluster_id, scheduler_id), _asked(limit), text), limit)
    with store.reading(folder) as db:
        cluster = store.cluster_id(db, cluster_id, scheduler_id)
        rows = _told(store.events(db, cluster, _asked(limit)), limit)
    if text:
        command.open_events(folder, cluster, rows)
    return rows


def list_exceptions(
    *,
    since: Since = "7 days",
    user: Optional[str] = None,
    cluster_id: Optional[int] = None,
    scheduler_id: Optional[str] = None,
    text: bool = False,
    limit: Optional[int] = None,
    data_dir: Folder = None,
    receiver: Optional[Address] = None,
    token: Optional[str] = None,
) -> List[ExceptionRow]:
    """Exceptions of one cluster or of all, the last seen first.

    Parameters
    ----------
    since, user
        As `list_clusters` takes them. Of one cluster all are told, whenever they were.
    cluster_id, scheduler_id
        Only of this cluster.
    text
        With messages and tracebacks, for which the ``bobbin`` command is asked.
    data_dir, receiver, token
        As `list_clusters` takes them.
    """
    folder = store.data_dir(data_dir)
    if receiver is not None:
        with Receiver(receiver, token, folder) as there:
            of = None if cluster_id is None and scheduler_id is None else there.cluster_id(cluster_id, scheduler_id)
            after = store.moment(since) if of is None else None
            return _told(there.exceptions(of, after, user, _asked(limit), text), limit)
    with store.reading(folder) as db:
        cluster = None
        if cluster_id is not None or scheduler_id is not None:
            cluster = store.cluster_id(db, cluster_id, scheduler_id)
        after = store.moment(since) if cluster is None else None
        rows = _told(store.exceptions(db, cluster, after=after, user=user, limit=_asked(limit)), limit)
    if text:
        command.open_exceptions(folder, rows)
    return rows


def last(
    cluster_id: Optional[int] = None,
    *,
    data_dir: Folder = None,
    receiver: Optional[Address] = None,
    token: Optional[str] = None,
) -> Card:
    """A card of the newest cluster, or of this one: shown by a notebook, printed elsewhere.

    What it cost is there where the ``bobbin`` command is on the path or a receiver is asked; how it stands against its earlier
    runs, where the command is.
    """
    folder = store.data_dir(data_dir)
    which = "cluster" if cluster_id is None else "cluster %d" % cluster_id
    if receiver is not None:
        with Receiver(receiver, token, folder) as there:
            row = there.last(cluster_id)
            if row is None:
                raise BobbinError("there is no %s yet" % which)
            cost = row.get("cost")
            told: Dict[str, Any] = {} if cost is None else {"cost": cost, "currency": there.currency()}
        return card(one_cluster(row), told)
    with store.reading(folder) as db:
        found = store.clusters(db, ids=None if cluster_id is None else [cluster_id], limit=1)
    if not found:
        raise BobbinError("there is no %s in %s yet" % (which, folder))
    return card(found[0], command.told_of(folder, found[0]["id"]))
