"""Sixteen connections with pipelines, so that the io threads have work; every answer checked.  redis_load.py PORT COMMANDS"""
import sys

from server import connect

port, commands = int(sys.argv[1]), int(sys.argv[2])


def command(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)


connections = [connect("redis", port) for _ in range(16)]
streams = [connection.makefile("rb") for connection in connections]
rounds = max(1, commands // (16 * 8))
for r in range(rounds):
    for i, connection in enumerate(connections):
        connection.sendall(b"".join(
            command(b"SET", b"key%d-%d" % (i, j), b"x" * (r % 200 + 1)) + command(b"GET", b"key%d-%d" % (i, j))
            + command(b"INCR", b"counter") + command(b"LPUSH", b"list%d" % i, b"%d" % r) for j in range(2)))
    for i, stream in enumerate(streams):
        for _ in range(2):
            assert stream.readline() == b"+OK\r\n"
            length = int(stream.readline()[1:])
            assert stream.read(length + 2) == b"x" * (r % 200 + 1) + b"\r\n"
            assert stream.readline().startswith(b":")
            assert stream.readline().startswith(b":")
connections[0].sendall(command(b"GET", b"counter"))
streams[0].readline()
assert int(streams[0].readline()) == rounds * 16 * 2, "redis lost an increment"
connections[0].sendall(command(b"SHUTDOWN", b"NOSAVE"))
