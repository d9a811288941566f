"""A listener that answers as a test tells it to, for answers that no healthy receiver gives."""

import gzip
import json
import os
import socket
import socketserver
import ssl
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler


def share(one):
    one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)


@contextmanager
def held_port():
    """A port where nobody listens, and which nobody else is given while a listener comes and goes."""
    with socket.socket() as holder:
        share(holder)
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


class Listener:
    """`answers` are taken one by one, then every batch is kept. `bodies` has all that came."""

    def __init__(self, answers=(), stop=None):
        self.answers = list(answers)
        self.stop = stop
        self.bodies, self.tokens, self.hosts, self.kept = [], [], [], []

    def answer(self, request):
        body = request.rfile.read(int(request.headers["Content-Length"]))
        self.bodies.append(body)
        self.tokens.append(request.headers["Authorization"])
        self.hosts.append(request.headers["Host"])
        status = self.answers.pop(0) if self.answers else 200
        if status == "hang up":
            request.close_connection = True
            return
        lines = gzip.decompress(body).decode().splitlines()
        header = json.loads(lines[0])
        reply = {name: header[name] for name in ("cluster_id", "instance_id", "first_seq", "records")}
        if status == 200:
            self.kept.append((header, [json.loads(line) for line in lines[1:]]))
            if callable(self.stop):
                reply["stop"] = self.stop(header)
        if status == "not bobbin":
            status, reply = 200, {"hello": "world"}
        text = json.dumps(reply).encode()
        if isinstance(status, bytes):
            # An answer that no receiver gives.
            status, text = 200, status
        request.send_response(status)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(text)))
        request.end_headers()
        request.wfile.write(text)

    def records(self, kind=None):
        return [record for _, rows in self.kept for record in rows if kind in (None, record["kind"])]

    def numbers(self):
        """Sequence numbers of the records that were kept."""
        return [header["first_seq"] + place for header, rows in self.kept for place in range(len(rows))]


class TcpServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def server_bind(self):
        share(self.socket)
        super().server_bind()


class UnixServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True


@contextmanager
def listening(listener, path=None, port=0, certificate=None):
    """Runs it; gives its address as the setting `bobbin.receiver` takes it."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            if self.server.gone:
                self.close_connection = True
            else:
                listener.answer(self)

        def log_message(self, *arguments):
            pass

        def address_string(self):
            return "local"

    if path is not None:
        server = UnixServer(str(path), Handler)
        address = "unix://%s" % path
    else:
        server = TcpServer(("127.0.0.1", port), Handler)
        address = "http://127.0.0.1:%d" % server.server_address[1]
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        address = address.replace("http:", "https:")
    server.gone = False
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield address
    finally:
        server.gone = True
        server.shutdown()
        server.server_close()
        if path is not None and os.path.exists(path):
            os.unlink(path)
