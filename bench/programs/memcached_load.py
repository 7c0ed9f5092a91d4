"""Four connections, mixed load, every answer checked.  memcached_load.py PORT COMMANDS"""
import sys
import threading

from server import connect

port, commands = int(sys.argv[1]), int(sys.argv[2])
wrong = []


def work(me):
    try:
        with connect("memcached", port) as connection:
            stream = connection.makefile("rwb")

            def ask(line, *data):
                stream.write(line.encode() + b"\r\n" + b"".join(d + b"\r\n" for d in data))
                stream.flush()
                return stream.readline().strip()

            for i in range(commands // 4):
                key = f"key{me}-{i % 50}"
                value = b"v" * (1 + i % 300)
                if ask(f"set {key} 0 0 {len(value)}", value) != b"STORED":
                    wrong.append(("set", key))
                answer = ask(f"get {key}")
                if not answer.startswith(b"VALUE"):
                    wrong.append(("get", key, answer))
                else:
                    if stream.readline().strip() != value:
                        wrong.append(("value", key))
                    stream.readline()  # END
                ask(f"set shared{i % 5} 0 0 1", b"1")
                ask(f"incr shared{i % 5} 1")
                if i % 10 == 0:
                    ask(f"delete {key}")
                if i % 100 == 0:
                    line = ask("stats")
                    while line != b"END":
                        line = stream.readline().strip()
    except Exception as error:  # any failure of a thread is a failure of the load
        wrong.append(error)


threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
with connect("memcached", port) as connection:
    connection.sendall(b"shutdown\r\n")  # allowed by -A
if wrong:
    sys.exit(f"memcached answered wrongly: {wrong[:3]}")
