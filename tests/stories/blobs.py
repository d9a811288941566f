"""A real Azure Blob server (Azurite) with one container, until its stdin ends. Says where it listens, and with which key it is asked."""

import base64
import hashlib
import hmac
import json
import os
import re
import subprocess
import sys
import urllib.parse
import urllib.request
from email.utils import formatdate

ACCOUNT = "bobbin"
KEY = base64.b64encode(b"no secret, only the key of a test").decode()
LISTENS = re.compile(r"listen\S* (?:on|at) \S*?127\.0\.0\.1:(\d+)")
#: What stands in a signature for headers that are not sent.
NO_HEADERS = "\n" * 11


def ask(endpoint, method, path, **query):
    """What the server answers to a request that the account signed."""
    headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2023-11-03"}
    signed = "%s\n%s" % (method, NO_HEADERS)
    signed += "".join("%s:%s\n" % one for one in sorted(headers.items()))
    signed += "/%s%s%s" % (ACCOUNT, urllib.parse.urlsplit(endpoint).path, path)
    signed += "".join("\n%s:%s" % one for one in sorted(query.items()))
    signature = base64.b64encode(hmac.digest(base64.b64decode(KEY), signed.encode(), hashlib.sha256)).decode()
    headers["Authorization"] = "SharedKey %s:%s" % (ACCOUNT, signature)
    address = endpoint + path + ("?" + urllib.parse.urlencode(query) if query else "")
    with urllib.request.urlopen(urllib.request.Request(address, method=method, headers=headers), timeout=60) as answer:
        return answer.read()


def main(program):
    command = ["node", program, "--blobHost", "127.0.0.1", "--blobPort", "0", "--inMemoryPersistence", "--silent", "--disableTelemetry"]
    accounts = dict(os.environ, AZURITE_ACCOUNTS="%s:%s" % (ACCOUNT, KEY))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=accounts) as server:
        try:
            port = next(found[1] for found in map(LISTENS.search, server.stdout) if found)
            endpoint = "http://127.0.0.1:%s/%s" % (port, ACCOUNT)
            ask(endpoint, "PUT", "/team", restype="container")
            print(json.dumps({"endpoint": endpoint, "account": ACCOUNT, "key": KEY}), flush=True)
            sys.stdin.read()
        finally:
            # It has nothing to keep.
            server.kill()


if __name__ == "__main__":
    main(sys.argv[1])
