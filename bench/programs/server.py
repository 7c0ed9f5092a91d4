"""The server that a load is for."""
import socket
import time


def connect(name, port):
    """A connection, as soon as the server listens; recorded, it may take its time."""
    for _ in range(600):
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"{name} does not answer")
