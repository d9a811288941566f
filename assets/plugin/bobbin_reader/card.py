"""The card of one cluster, as a notebook shows it: HTML without scripts, every text of the cluster's escaped."""

from __future__ import annotations

import datetime
import html
import re
import unicodedata
from typing import Any, Dict, List, Optional, Tuple

from .rows import Cluster

MARKS = {"finished": "✓", "running": "▶", "idle": "◌", "stalled": "!", "lost": "✕"}
#: Characters of a text.
MOST = 80
#: An id that stands in a link as it is.
LINKED = re.compile(r"[A-Za-z0-9_.~-]{1,80}\Z")

STYLE = """
.bobbin-card { font: 13px/1.45 var(--jp-ui-font-family, system-ui, sans-serif); max-width: 44em; padding: .8em 1em;
  --line: #c9ccd3; --mark: #2f6f8f; --bad: #b3372f; border: 1px solid var(--line); border-left: .3em solid var(--mark); border-radius: .4em;
  color: #1c2230; background: #fff; }
.bobbin-card b { font-size: 1.15em; } .bobbin-card dl { display: flex; flex-wrap: wrap; gap: .3em 1.6em; margin: .6em 0; }
.bobbin-card dt { color: #565d6d; font-weight: normal; } .bobbin-card dd { margin: 0; font-variant-numeric: tabular-nums; }
.bobbin-card p { margin: .3em 0 0; } .bobbin-card a { color: #1f5f80; }
.bobbin-card[data-state=lost], .bobbin-card[data-state=stalled], .bobbin-card[data-failed=yes] { border-left-color: var(--bad); }
@media (prefers-color-scheme: dark) { .bobbin-card { color: #e7eaf0; background: #191d25; --line: #3a4150; --mark: #5fa9cf; --bad: #ec7a70; }
  .bobbin-card dt { color: #a9b1c0; } .bobbin-card a { color: #8cc7e6; } }
[data-jp-theme-light=true] .bobbin-card { color: #1c2230; background: #fff; --line: #c9ccd3; --mark: #2f6f8f; --bad: #b3372f; }
[data-jp-theme-light=true] .bobbin-card dt { color: #565d6d; } [data-jp-theme-light=true] .bobbin-card a { color: #1f5f80; }
[data-jp-theme-light=false] .bobbin-card { color: #e7eaf0; background: #191d25; --line: #3a4150; --mark: #5fa9cf; --bad: #ec7a70; }
[data-jp-theme-light=false] .bobbin-card dt { color: #a9b1c0; } [data-jp-theme-light=false] .bobbin-card a { color: #8cc7e6; }
"""


def visible(text: str, most: int = MOST) -> str:
    """Without what moves, hides or turns other text around: those characters are told by their number."""
    shown = "".join(
        "‹U+%04X›" % ord(one) if unicodedata.category(one) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") else one for one in text
    )
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def seconds(value: float) -> str:
    if value < 1:
        return "%.0f ms" % (value * 1e3)
    if value < 60:
        return "%.1f s" % value
    whole = round(value)
    if whole < 3600:
        return "%d min %02d s" % divmod(whole, 60)
    return "%d h %02d min" % (whole // 3600, whole % 3600 // 60)


def size(count: int) -> str:
    value, unit = float(count), "B"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if value < 1024 or unit == "TiB":
            break
        value /= 1024
    return "%d B" % count if unit == "B" else "%.1f %s" % (value, unit)


def money(low: float, high: float, currency: str) -> str:
    """At least and at most."""
    if high < 0.01:
        return "below 0.01 " + currency
    return ("%.2f" % high if "%.2f" % low == "%.2f" % high else "%.2f – %.2f" % (low, high)) + " " + currency


class Card:
    """What became of one cluster, in a few lines."""

    def __init__(self, cluster: Cluster, lines: List[Tuple[str, str]], against: Optional[str]) -> None:
        #: The row that it tells, as `list_clusters` gives it.
        self.cluster = cluster
        self._lines = lines
        self._against = against

    @property
    def link(self) -> str:
        """Opens its page, where a Bobbin that knows it is installed."""
        scheduler_id = self.cluster["scheduler_id"]
        # The scheduler's id is the same in every Bobbin. It came from a cluster, so it may be anything.
        return "bobbin://cluster/%s" % (scheduler_id if LINKED.match(scheduler_id) else self.cluster["id"])

    def _head(self) -> str:
        state = self.cluster["state"]
        told = state + ", sample" if self.cluster["sample"] else state
        return "%s %s (%s)" % (MARKS.get(state, "•"), visible(self.cluster["name"]), told)

    def __repr__(self) -> str:
        lines = [self._head()] + ["  %-14s %s" % line for line in self._lines]
        if self._against is not None:
            lines.append("  " + self._against)
        return "\n".join(lines + ["  " + self.link])

    def _repr_html_(self) -> str:
        def text(value: str) -> str:
            return html.escape(value, quote=True)

        figures = "".join("<div><dt>%s</dt><dd>%s</dd></div>" % (text(name), text(value)) for name, value in self._lines)
        against = "" if self._against is None else "<p>%s</p>" % text(self._against)
        failed = "yes" if self.cluster["tasks_erred"] else "no"
        return (
            '<style>%s</style><section class="bobbin-card" data-state="%s" data-failed="%s" aria-label="Dask cluster">'
            '<b><bdi>%s</bdi></b><dl>%s</dl>%s<p><a href="%s">Open in Bobbin</a></p></section>'
            % (STYLE, text(self.cluster["state"]), failed, text(self._head()), figures, against, text(self.link))
        )

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def card(cluster: Cluster, told: Dict[str, Any]) -> Card:
    """With what the command told beside the row."""
    end = cluster["stopped"] or cluster["last_heard"]
    lasted = max((end - cluster["started"]) / datetime.timedelta(seconds=1), 0.0)
    tasks = "{:,}".format(cluster["tasks_completed"])
    if cluster["tasks_erred"]:
        tasks += ", {:,} failed".format(cluster["tasks_erred"])
    lines = [
        ("time", seconds(lasted)),
        ("tasks", tasks),
        ("computing", seconds(cluster["compute_seconds"])),
        ("efficiency", "–" if cluster["efficiency"] is None else "%.0f %%" % (cluster["efficiency"] * 100)),
        ("workers", "%d with %d threads" % (cluster["workers_peak"], cluster["threads_peak"])),
        ("peak memory", "–" if cluster["memory_peak_bytes"] is None else size(cluster["memory_peak_bytes"])),
        ("exceptions", str(cluster["exceptions"])),
    ]
    cost = told.get("cost")
    if cost:
        lines.append(("cost", money(cost["low_nanos"] / 1e9, cost["high_nanos"] / 1e9, visible(told["currency"]))))
    check = told.get("check")
    against = None
    if check and check.get("change") is not None:
        against = visible(check["words"].split(";")[0], 200)
    return Card(cluster, lines, against)
