"""The published client, unmodified: each word on stdin is a call, each line on stdout what came of it."""

import sys

from common import say, words

import coiled
import coiled.analytics as analytics
from coiled.core import _upload_report


def call(word):
    verb, *rest = word.split()
    if verb == "handshake":
        with coiled.Cloud() as cloud:
            return {"user": cloud.user}
    if verb == "clusters":
        return analytics.list_clusters(**({"since": rest[0]} if rest else {}))
    if verb == "computations":
        return analytics.list_computations(int(rest[0]))
    if verb == "events":
        return analytics.list_events(int(rest[0]))
    if verb == "exceptions":
        return analytics.list_exceptions(**({"cluster_id": int(rest[0])} if rest else {}))
    if verb == "report":
        # What `coiled.performance_report()` does once Dask has written the file, for which Dask needs Bokeh.
        return _upload_report(rest[0])
    if verb == "reports":
        return coiled.list_performance_reports()
    if verb == "close":
        return analytics.close(int(rest[0]))
    raise SystemExit(f"no such word: {word}")


def main():
    say(event="ready", version=coiled.__version__)
    for word in words():
        try:
            answer = {"answer": call(word)}
        except Exception as error:
            answer = {"error": str(error), "type": type(error).__name__}
        say(did=word, **answer)


if __name__ == "__main__":
    sys.exit(main())
