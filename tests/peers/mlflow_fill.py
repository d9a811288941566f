"""Fills a store of MLflow with as many runs as there are clusters beside it: `mlflow_fill.py FILE RUNS`.

One run is what a cluster is to Bobbin's list: who ran it where, and five sums. They are written as its own models, since
its interface would take a quarter of an hour.
"""

import random
import sys
import time
import uuid

from mlflow.entities import RunStatus
from mlflow.store.tracking.dbmodels.models import SqlLatestMetric, SqlMetric, SqlParam, SqlRun, SqlTag
from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore

YEAR_MILLIS = 365 * 86_400_000
SUMS = ("compute", "cluster", "tasks", "bytes", "efficiency")
COUNTS = ("workers", "threads", "groups")


def rows(experiment, number, now, roll):
    run, start = uuid.UUID(int=roll.getrandbits(128)).hex, now - roll.randrange(YEAR_MILLIS)
    user = f"user-{int(roll.paretovariate(1)) % 200}"
    name = f"cluster-{number}"
    yield SqlRun(
        run_uuid=run,
        name=name,
        experiment_id=experiment,
        user_id=user,
        status=RunStatus.to_string(RunStatus.FINISHED),
        start_time=start,
        end_time=start + roll.randrange(3_600_000),
        lifecycle_stage="active",
        artifact_uri=f"file:///nowhere/{run}",
    )
    tags = {"mlflow.runName": name, "mlflow.user": user, "host": f"{user}-laptop", "project": f"project-{roll.randrange(60)}"}
    yield from (SqlTag(run_uuid=run, key=key, value=value) for key, value in tags.items())
    yield from (SqlParam(run_uuid=run, key=key, value=str(roll.randrange(64))) for key in COUNTS)
    for key in SUMS:
        value = {"run_uuid": run, "key": key, "value": roll.lognormvariate(4, 2), "timestamp": start, "step": 0, "is_nan": False}
        yield SqlMetric(**value)
        yield SqlLatestMetric(**value)


def main():
    path, runs = sys.argv[1], int(sys.argv[2])
    roll = random.Random(1)
    store = SqlAlchemyStore(f"sqlite:///{path}", f"{path}.artifacts")
    experiment = int(store.create_experiment("clusters"))
    now = int(time.time() * 1000)
    with store.ManagedSessionMaker() as session:
        for number in range(runs):
            session.add_all(rows(experiment, number, now, roll))
            if number % 1000 == 999:
                session.flush()
                session.expunge_all()


if __name__ == "__main__":
    main()
