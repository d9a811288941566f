"""What is in the lists. Times are aware datetimes, in UTC; ``None`` is not available, never zero."""

from __future__ import annotations

import datetime
from typing import Any, Dict, List, Optional, TypedDict


class Cluster(TypedDict):
    """One cluster. A cluster is a scheduler object."""

    id: int
    scheduler_id: str
    #: told from a recording, such as a story of the demo: no run of one's own
    sample: bool
    name: str
    #: running, stalled, idle, finished or lost
    state: str
    user: Optional[str]
    host: Optional[str]
    project: Optional[str]
    tags: Dict[str, str]
    started: datetime.datetime
    #: None while it lives; of a lost one too. Its last sample where a person marked it as finished
    stopped: Optional[datetime.datetime]
    last_heard: datetime.datetime
    workers_peak: int
    threads_peak: int
    memory_peak_bytes: Optional[int]
    tasks_completed: int
    tasks_erred: int
    compute_seconds: float
    #: threads times the time that they were there
    thread_seconds: float
    #: compute_seconds ÷ thread_seconds
    efficiency: Optional[float]
    result_bytes: int
    computations: int
    #: distinct ones
    exceptions: int


class Computation(TypedDict):
    """One call of `compute` or `persist`, as Dask tells it."""

    computation_id: str
    cluster_id: int
    start: Optional[datetime.datetime]
    #: None while it runs
    stop: Optional[datetime.datetime]
    #: how many tasks are in which state
    states: Dict[str, int]
    #: by name, or by id where no more is told of a group
    groups: List[str]
    compute_seconds: float
    transfer_seconds: float
    disk_read_seconds: float
    disk_write_seconds: float
    #: outermost frame first
    code: Optional[List[Dict[str, Any]]]
    #: there is code, and it is not told here
    locked: bool


class Event(TypedDict):
    """One event of a topic."""

    cluster_id: int
    #: None where a receiver was asked
    instance_id: Optional[str]
    seq: Optional[int]
    at: datetime.datetime
    topic: str
    payload: Any
    #: there is a payload, and it is not told here
    locked: bool


class ExceptionRow(TypedDict):
    """Failures of one kind in one group."""

    exception_id: str
    cluster_id: int
    cluster_name: str
    type: str
    #: user or dask
    origin: str
    group: Optional[str]
    worker: Optional[str]
    first_seen: datetime.datetime
    last_seen: datetime.datetime
    count: int
    #: tasks that erred only because they depend on a failed one
    dependents: int
    message: Optional[str]
    traceback: Optional[str]
    #: there is text, and it is not told here
    locked: bool
