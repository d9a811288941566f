"""The receiver of a Bobbin that runs, for what is read where its file is not: on another machine, or in another user's process."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import os
import pathlib
import re
import socket
import ssl
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple, Union, cast
from urllib.parse import urlsplit

from .errors import BobbinError
from .rows import Cluster, Computation, Event, ExceptionRow
from .store import at, at_or_none

#: Where it is: an address as the plugin's setting `receiver` takes it, or ``True`` for the one of this folder.
Address = Union[str, bool]

PORT = 8788
CONNECT_SECONDS = 5.0
SECONDS = 60.0
#: As many rows as it tells at once.
PAGE = 1000
TOKEN = re.compile(r"[\x21-\x7e]{1,4096}\Z")
PIN = re.compile(r"[0-9a-f]{64}\Z")
LOOPBACK = re.compile(r"(localhost|::1|127\.\d+\.\d+\.\d+)\Z")


class _Way(http.client.HTTPConnection):
    """HTTP over a Unix socket, over loopback, or over TLS to one known certificate."""

    def __init__(self, path: Optional[str] = None, host: str = "bobbin", port: int = 80, pin: Optional[str] = None) -> None:
        super().__init__(host, port, timeout=SECONDS)
        self.path, self.pin = path, pin

    def __str__(self) -> str:
        if self.path is not None:
            return "unix://" + self.path
        return "%s://%s:%d" % ("https" if self.pin else "http", self.host, self.port)

    def connect(self) -> None:
        if self.path is not None:
            sock = socket.socket(socket.AF_UNIX)
            try:
                sock.settimeout(CONNECT_SECONDS)
                sock.connect(self.path)
            except BaseException:
                sock.close()
                raise
        else:
            sock = socket.create_connection((self.host, self.port), CONNECT_SECONDS)
        self.sock = sock
        if self.pin is not None:
            self.sock = self._secured(sock, self.pin)
        self.sock.settimeout(SECONDS)

    def _secured(self, sock: socket.socket, pin: str) -> socket.socket:
        """The certificate is compared before a byte of ours is sent; who signed it and for which name do not matter."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        secured = context.wrap_socket(sock, server_hostname=self.host)
        presented = hashlib.sha256(secured.getpeercert(binary_form=True) or b"").hexdigest()
        if not hmac.compare_digest(presented, pin):
            secured.close()
            raise BobbinError("the certificate of %s does not match #sha256=: nothing was sent to it" % self)
        return secured


def _token(given: Optional[str], file: Optional[pathlib.Path]) -> str:
    token = given or os.environ.get("DASK_BOBBIN__TOKEN")
    named = os.environ.get("DASK_BOBBIN__TOKEN_FILE")
    if token is None and (named or file):
        path = pathlib.Path(named).expanduser() if named else file
        assert path is not None
        try:
            token = path.read_text().strip()
        except OSError as error:
            raise BobbinError("there is no token in %s: %s" % (path, error.strerror or error)) from error
    if token is None:
        raise BobbinError("this receiver needs its token: pass token=, or set DASK_BOBBIN__TOKEN or DASK_BOBBIN__TOKEN_FILE")
    if not TOKEN.match(token):
        # Not the error of a header that cannot be sent, which would quote it.
        raise BobbinError("the token must be one word of plain letters and digits")
    return token


def _of_address(address: str, folder: pathlib.Path, token: Optional[str]) -> Tuple[_Way, str]:
    wrong = "receiver=%r is not an address: use unix:///PATH, http://127.0.0.1:%d, or https://HOST:%d#sha256=FINGERPRINT" % (address, PORT, PORT)
    try:
        parts = urlsplit(address)
        port = parts.port or PORT
    except ValueError as error:
        raise BobbinError(wrong) from error
    if parts.scheme == "unix" and parts.path:
        return _Way(path=parts.path), _token(token, folder / "token")
    if parts.scheme == "http" and parts.hostname:
        if not LOOPBACK.match(parts.hostname):
            raise BobbinError("receiver= with http:// works only for this machine: use https://%s:%d#sha256=… instead" % (parts.hostname, port))
        # Whoever has that port would get it: only what the caller names goes there.
        return _Way(host=parts.hostname, port=port), _token(token, None)
    if parts.scheme != "https" or not parts.hostname:
        raise BobbinError(wrong)
    pin = parts.fragment.partition("sha256=")[2].replace(":", "").lower()
    if not PIN.match(pin):
        raise BobbinError("receiver= with https:// must end in #sha256= and the certificate's SHA-256: `bobbin doctor` shows it")
    # The token of this machine's own Bobbin goes to no other.
    return _Way(host=parts.hostname, port=port, pin=pin), _token(token, None)


def _of_folder(folder: pathlib.Path, token: Optional[str]) -> Tuple[_Way, str]:
    """By what a Bobbin that runs writes down: its socket, or its port where its certificate is known, too."""
    path = folder / "receiver.json"
    try:
        found = json.loads(path.read_text())
    except FileNotFoundError as error:
        raise BobbinError("no Bobbin is running on %s: start it, or leave receiver= out to read the file" % folder) from error
    except (OSError, ValueError) as error:
        raise BobbinError("%s cannot be read: %s" % (path, error)) from error
    key = _token(token, pathlib.Path(found.get("token_file") or folder / "token"))
    if found.get("socket") and hasattr(socket, "AF_UNIX") and os.path.exists(found["socket"]):
        return _Way(path=found["socket"]), key
    host, _, port = (found.get("tcp") or "").rpartition(":")
    pin = str(found.get("certificate_sha256") or "").replace(":", "").lower()
    if not host or not PIN.match(pin):
        raise BobbinError("%s does not say how to reach the receiver" % path)
    return _Way(host=host.strip("[]"), port=int(port), pin=pin), key


class Receiver:
    """Asks one Bobbin that runs."""

    def __init__(self, address: Address, token: Optional[str], folder: pathlib.Path) -> None:
        if address is False:
            raise BobbinError("receiver= must be an address, or True for the Bobbin of this folder")
        self._way, self._token = _of_folder(folder, token) if address is True else _of_address(address, folder, token)

    def ask(self, what: str, **question: Any) -> Any:
        body = json.dumps({name: value for name, value in question.items() if value is not None})
        headers = {"Authorization": "Bearer " + self._token, "Content-Type": "application/json"}
        try:
            self._way.request("POST", "/v1/read/" + what, body, headers)
            answer = self._way.getresponse()
            status, text = answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._way.close()
            raise BobbinError("the receiver at %s does not answer: %s" % (self._way, error or type(error).__name__)) from error
        try:
            told = json.loads(text)
        except ValueError as error:
            raise BobbinError("the server at %s is not Bobbin" % self._way) from error
        if status == 200:
            return told
        if status == 401:
            raise BobbinError("the receiver at %s has a different token" % self._way)
        said = [str(one) for one in (record(told).get("message"), record(told).get("hint")) if one]
        if status == 404 and said and "address" in said[0]:
            raise BobbinError("the Bobbin at %s is older than this package: this package cannot read through its receiver" % self._way)
        raise BobbinError("; ".join(said) or "the receiver answered %d" % status)

    def pages(self, what: str, limit: int, key: Callable[[Dict[str, Any]], Any], **question: Any) -> Iterator[Dict[str, Any]]:
        """Rows of a list that may grow and shrink meanwhile: none twice, and none left out for what came or went above it.

        Each page begins with the last row of the one before. Where it begins with none that is known, rows above were removed,
        and it is asked from further up. What moves up itself, such as an exception that is seen again, may be missing.
        """
        seen: Set[Any] = set()
        offset = 0
        while len(seen) < limit:
            asked = min(limit - len(seen) + (1 if seen else 0), PAGE)
            rows: List[Dict[str, Any]] = self.ask(what, limit=asked, offset=offset, **question)["rows"]
            if offset and rows and key(rows[0]) not in seen:
                offset = max(0, offset - PAGE)
                continue
            for row in rows:
                if key(row) not in seen and len(seen) < limit:
                    seen.add(key(row))
                    yield row
            if len(rows) < asked:
                return
            offset += len(rows) - 1

    def close(self) -> None:
        self._way.close()

    def __enter__(self) -> "Receiver":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def cluster_id(self, number: Optional[int], scheduler_id: Optional[str]) -> int:
        if (number is None) == (scheduler_id is None):
            raise BobbinError("name the cluster by cluster_id or by scheduler_id")
        return int(self.ask("number", scheduler_id=scheduler_id)["id"]) if number is None else number

    def clusters(self, after: Optional[int], user: Optional[str], filter: Optional[str], limit: int) -> List[Cluster]:
        asked = {"from_micros": after, "user": user, "text": filter, "order": "started", "direction": "descending"}
        return [cluster(row) for row in self.pages("clusters", limit, _number, **asked)]

    def last(self, id: Optional[int]) -> Optional[Dict[str, Any]]:
        if id is not None:
            found: Dict[str, Any] = self.ask("cluster", id=id)["row"]
            return found
        return next(self.pages("clusters", 1, _number, order="started", direction="descending"), None)

    def currency(self) -> str:
        """Of all costs."""
        named: str = self.ask("clusters", limit=1)["currency"]
        return named

    def computations(self, id: int, limit: int, text: bool) -> List[Computation]:
        names: Dict[str, str] = {row["group_id"]: row["name"] for row in self.ask("task_groups", id=id)["rows"]}
        listed = self.pages(_with("computations", text), limit, lambda row: row["computation_id"], id=id)
        return [computation(row, names, text) for row in listed]

    def events(self, id: int, limit: int, text: bool) -> List[Event]:
        # They have no name of their own here, and are many: those up to the newest one, which no later ones come between.
        rows: List[Dict[str, Any]] = []
        until: Optional[int] = None
        while len(rows) < limit:
            asked = min(limit - len(rows), PAGE)
            page = self.ask(_with("events", text), id=id, limit=asked, offset=len(rows), to_micros=until)["rows"]
            rows += page
            if len(page) < asked:
                break
            until = rows[0]["at_micros"] + 1
        return [event(row, text) for row in rows]

    def exceptions(
        self, id: Optional[int], after: Optional[int], user: Optional[str], limit: int, text: bool
    ) -> List[ExceptionRow]:
        asked = {"id": id, "from_micros": after, "user": user}
        listed = self.pages(_with("exceptions", text), limit, lambda row: (row["cluster_id"], row["exception_id"]), **asked)
        return [exception(row, text) for row in listed]


def _with(what: str, text: bool) -> str:
    """Sealed texts are opened for whoever asks for them."""
    return what + "?text=true" if text else what


def _number(row: Dict[str, Any]) -> Any:
    return row["id"]


def cluster(row: Dict[str, Any]) -> Cluster:
    return {
        "id": row["id"],
        "scheduler_id": row["scheduler_id"],
        "sample": row["sample"],
        "name": row["name"],
        "state": row["state"],
        "user": row["user"],
        "host": row["host"],
        "project": row["project"],
        "tags": row["tags"],
        "started": at(row["started_micros"]),
        # Of a lost one it tells its last sample.
        "stopped": at_or_none(row["stopped_micros"] if row["state"] == "finished" else None),
        "last_heard": at(row["last_heard_micros"]),
        "workers_peak": row["workers_peak"],
        "threads_peak": row["threads_peak"],
        "memory_peak_bytes": row["memory_peak_bytes"],
        "tasks_completed": row["tasks_completed"],
        "tasks_erred": row["tasks_erred"],
        "compute_seconds": row["compute_seconds"],
        "thread_seconds": row["thread_seconds"],
        "efficiency": row["efficiency"],
        "result_bytes": row["result_bytes"],
        "computations": row["computations"],
        "exceptions": row["exceptions"],
    }


def computation(row: Dict[str, Any], names: Dict[str, str], text: bool) -> Computation:
    seconds, code = row["seconds"], row["code"]
    groups: List[str] = [names.get(group) or group for group in row["groups"]]
    frames = code["frames"] if text and code["is"] == "frames" else None
    return {
        "computation_id": row["computation_id"],
        "cluster_id": row["cluster_id"],
        "start": at_or_none(row["start_micros"]),
        "stop": at_or_none(row["stop_micros"]),
        "states": row["states"],
        "groups": groups,
        "compute_seconds": seconds.get("compute", 0.0),
        "transfer_seconds": seconds.get("transfer", 0.0),
        "disk_read_seconds": seconds.get("disk_read", 0.0),
        "disk_write_seconds": seconds.get("disk_write", 0.0),
        "code": frames,
        "locked": frames is None and code["is"] in ("frames", "locked"),
    }


def _opened(sealed: Dict[str, Any], text: bool) -> Tuple[Optional[str], bool]:
    """The text where it is wanted, and whether there is one that is not told."""
    found = sealed.get("text") if text else None
    return found, found is None and sealed["is"] != "none"


def event(row: Dict[str, Any], text: bool) -> Event:
    payload, locked = _opened(row["payload"], text)
    return {
        "cluster_id": row["cluster_id"],
        "instance_id": None,
        "seq": None,
        "at": at(row["at_micros"]),
        "topic": row["topic"],
        "payload": None if payload is None else parsed(payload),
        "locked": locked,
    }


def exception(row: Dict[str, Any], text: bool) -> ExceptionRow:
    message, no_message = _opened(row["message"], text)
    traceback, no_traceback = _opened(row["traceback"], text)
    return {
        "exception_id": row["exception_id"],
        "cluster_id": row["cluster_id"],
        "cluster_name": row["cluster_name"],
        "type": row["exception_type"],
        "origin": row["origin"],
        "group": row["group"],
        "worker": row["worker"],
        "first_seen": at(row["first_seen_micros"]),
        "last_seen": at(row["last_seen_micros"]),
        "count": row["count"],
        "dependents": row["dependents"],
        "message": message,
        "traceback": traceback,
        "locked": no_message or no_traceback,
    }


def record(value: Any) -> Dict[str, Any]:
    """What was read as JSON, where it is an object; else an empty one."""
    return cast(Dict[str, Any], value) if isinstance(value, dict) else {}


def parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
