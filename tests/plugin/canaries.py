"""The script whose secrets `test_canaries.py` looks for: words that stand in its text, and words that it reads from a file."""

# What is in the source itself, where code is sent: zqcodecomment, and open("/zqsourcefolder/zqsourcefile")

import json
import logging
import os
import sys
import time

import dask
import distributed
from distributed import Client, Lock, Variable, wait

try:
    import pandas
    from dask import dataframe
    from distributed import span
    from distributed.metrics import context_meter
except ImportError:
    # The oldest Dask has no spans and no meters, and stands there without pandas.
    pandas = dataframe = span = context_meter = None

CONSTANT = "zqcodeconstant"
# For the profile to have seen it.
LONG_ENOUGH = 0.3


class ZqErrorType(Exception):
    pass


class ZqResultType:
    pass


def zqfunction(value, zqparameter=None, default="zqdefault", **named):
    """zqdocstring"""
    time.sleep(LONG_ENOUGH)
    return value


def zqfailing(record):
    hidden = record["field"]
    time.sleep(LONG_ENOUGH)
    raise ZqErrorType("wrong row: %s" % hidden, "zqsourceline password=zqpasswordinsource")


def open_file(path):
    return open(path)


def look_up(key):
    return {}[key]


def caused(text):
    try:
        raise ValueError(text)
    except ValueError as cause:
        raise RuntimeError("for a reason") from cause


def measured(activity):
    if context_meter is not None:
        with context_meter.meter(activity):
            time.sleep(0.01)
    return ZqResultType()


def speak(words):
    worker = distributed.get_worker()
    print(words["stdout"])
    logging.getLogger("distributed.worker").warning(words["logged"])
    worker.log_event("zqworkertopic", {"text": words["workerevent"]})
    if hasattr(distributed, "print"):
        distributed.print(words["printed"])
        distributed.warn(words["warned"])


def zqburn(seconds):
    end = time.time() + seconds
    while time.time() < end:
        sum(range(1000))


class Wrong:
    stimulus_id = "wrong"

    def __init__(self, text):
        self.text = text

    def to_loggable(self, *, handled):
        raise RuntimeError(self.text)


def fail_hard(text, dask_worker=None):
    dask_worker.loop.add_callback(dask_worker.handle_stimulus, Wrong(text))


def invalid(words, dask_worker=None):
    story = [[words["invalidkey"], "ready", words["story"]]]
    packet = {"key": words["invalidkey"], "start": "memory", "finish": "waiting", "story": story}
    dask_worker.log_event("invalid-worker-transition", packet)


def metric(words, dask_worker=None):
    async def measure(worker):
        return words["metricvalue"]

    dask_worker.metrics[words["metricname"]] = measure


def main(client, words):
    client.wait_for_workers(1)
    client.run(metric, words)
    kept = [
        client.submit(zqfunction, words["argument"], **{words["keywordname"]: words["keywordvalue"]}),
        client.submit(zqfunction, {words["dictkey"]: [words["dictvalue"]]}),
        client.submit(zqfunction, 1, key=words["stringkey"]),
        client.submit(zqfunction, 2, key=(words["tuplekey"], 0)),
        client.submit(measured, words["activity"]),
        client.submit(speak, words),
        client.submit(zqburn, 3),
    ]
    with dask.annotate(**{words["annotationkey"]: words["annotationvalue"]}):
        kept.append(client.submit(zqfunction, 3))
    if span is not None:
        with span(words["span"], words["innerspan"]):
            kept.append(client.submit(zqfunction, 4, key="in-a-span"))
        table = pandas.DataFrame({words["column"]: [words["cell"], words["cell"]]})
        kept.append(client.compute(dataframe.from_pandas(table, npartitions=1)[words["column"]].count()))
    kept += list(client.scatter({words["scatterkey"]: words["scattervalue"]}).values())
    client.publish_dataset(**{words["dataset"]: kept[0]})
    Variable(words["variablename"]).set(words["variablevalue"])
    with Lock(words["lock"]):
        pass
    client.set_metadata(words["metadatakey"], words["metadatavalue"])
    failed = [
        client.submit(zqfailing, {"field": words["messagevalue"], "other": words["recordvalue"]}),
        client.submit(open_file, "/%s/%s/%s" % (words["folder"], words["innerfolder"], words["file"])),
        client.submit(look_up, words["missingkey"]),
        client.submit(caused, words["cause"]),
    ]
    client.log_event("all", {words["eventkey"]: words["eventvalue"], "path": "/%s/x" % words["eventfolder"]})
    client.log_event(words["topic"], {"text": words["privatevalue"]})
    wait(kept + failed)
    client.run(invalid, words)
    time.sleep(1.5)
    # What is left on the worker that dies would be computed again.
    client.unpublish_dataset(words["dataset"])
    for future in kept + failed:
        future.release()
    time.sleep(0.5)
    killed = client.submit(os._exit, 1, key=words["killedkey"])
    wait(killed)
    client.wait_for_workers(1)
    client.run(fail_hard, words["failhard"])
    time.sleep(3)


if __name__ == "__main__":
    dask.config.set({"distributed.diagnostics.computations.nframes": 2})
    with open(sys.argv[2]) as file:
        read = json.load(file)
    with Client(sys.argv[1], name=read["clientname"]) as client:
        main(client, read)
