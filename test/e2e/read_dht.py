#!/usr/bin/env python3
"""A slow reader of .dht files, written from docs/trace-format.md alone, to check page and program against each other.

Prints one line an event: number, kind, thread, object, site, stack, order, offset, value, and then the names.
Checksums are not looked at. With zstd frames it calls the zstd program.
"""
import struct
import subprocess
import sys

ATOMIC = {2, 3, 4}
WITH_OFFSET = {0, 1, 21} | ATOMIC


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, n):
        assert self.at + n <= len(self.data), "read past the end"
        self.at += n
        return self.data[self.at - n:self.at]

    def fixed(self, code):
        return struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))

    def u8(self):
        return self.take(1)[0]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.u8()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def delta(self, previous):
        return previous + unzigzag(self.varint())

    def text(self):
        return self.take(self.varint()).decode("utf-8", "replace")

    def done(self):
        return self.at == len(self.data)


def unzigzag(n):
    return n // 2 if n % 2 == 0 else -(n // 2) - 1


def operation(r, previous):
    tag = r.u8()
    kind = tag & 31
    order = r.u8() if kind in ATOMIC or kind == 5 else 0
    previous["site"] = r.delta(previous["site"])
    stack = 0
    if tag & 32:
        previous["stack"] = stack = r.delta(previous["stack"])
    offset = value = 0
    if tag & 64:
        offset = r.u8() if kind in WITH_OFFSET else 0
        value = r.varint()
    previous["base"] = r.delta(previous["base"])
    return (kind, previous["site"], stack, order, offset, value), previous["base"]


def thread_codes(r, n, runs, bits):
    if runs:
        codes = r.fixed(f"{runs}{'B' if bits == 8 else 'H'}")
        lengths = r.take(runs)
        return [code for code, length in zip(codes, lengths) for _ in range(length + 1)]
    if bits == 4:
        packed = r.take((n + 1) // 2)
        return [packed[i // 2] >> (4 * (i % 2)) & 15 for i in range(n)]
    return list(r.fixed(f"{n}{'B' if bits == 8 else 'H'}"))


def events(payload, first, n):
    r = Bytes(payload)
    r.fixed("8I")
    entries, own, runs = r.fixed("3I")
    bits, code_bits, omitted, _ = r.fixed("4B")
    _, object_bytes = r.fixed("2I")
    threads, previous = [], 0
    for _ in range(own):
        previous = r.delta(previous)
        threads.append(previous)
    last, ops, fields = [], [], {"site": 0, "stack": 0, "base": 0}
    for _ in range(entries):
        op, base = operation(r, fields)
        ops.append(op)
        last.append(base)
    actors = thread_codes(r, n, runs, bits)
    packed = int.from_bytes(r.take((n * code_bits + 7) // 8), "little")
    codes = [packed >> (i * code_bits) & ((1 << code_bits) - 1) for i in range(n)]
    control = r.take((n + 3) // 4)
    data = Bytes(r.take(object_bytes))
    r.take(16)
    assert r.done() and len(actors) == n
    lengths = [k for k in range(5) if k != omitted]
    for i in range(n):
        length = lengths[control[i // 4] >> (2 * (i % 4)) & 3]
        difference = unzigzag(int.from_bytes(data.take(length), "little"))
        code = codes[i]
        last[code] = (last[code] + difference) % 2**32
        kind, site, stack, order, offset, value = ops[code]
        print(first + i, kind, threads[actors[i]], last[code], site, stack, order, offset, value)
    assert data.done()


def names(payload, tables):
    r = Bytes(payload)
    while not r.done():
        table, mode = r.u8(), r.u8()
        first, count = r.varint(), r.varint()
        body = Bytes(r.take(r.varint()))
        if table > 10:
            continue
        if table == 9:
            tables[9] += [(0, 0)] * (first - len(tables[9]))
            assert first + count <= len(tables[6]), "the address of an unknown site"
        if mode == 0:
            assert first == len(tables[table]), "names out of order"
        for _ in range(count):
            entry_id = body.varint() if mode == 1 else len(tables[table])
            width = {6: 5, 7: 2, 8: 3, 9: 2, 10: 3}.get(table, 0)
            entry = tuple(body.varint() for _ in range(width)) if width else body.text()
            if table == 10:
                behind = tables[10][-1][0] + tables[10][-1][2] if tables[10] else 0
                entry = (behind + entry[0], 8 * entry[1], entry[2])
            if mode == 1:
                tables[table][entry_id] = entry
            else:
                tables[table].append(entry)
        assert body.done()


def main(path):
    with open(path, "rb") as file:
        r = Bytes(file.read())
    assert r.take(8) == b"\x89DHT\r\n\x1a\n"
    assert r.fixed("H")[0] == 1
    r.take(6)
    tables = [[""], [], [], [], [], [], [(0,) * 5], [(0, 0)], [(0, 0, 0)], [(0, 0)], []]
    total, finished = 0, False
    while not r.done() and not finished:
        start = r.at
        magic, kind, flags, _, stored, raw, first, count, _, _, _ = r.fixed("IBBHIIQIIQQ")
        assert magic == 0x4B424844
        payload = r.take(stored)
        if flags & 1:
            payload = subprocess.run(["zstd", "-dc"], input=payload, capture_output=True, check=True).stdout
        assert len(payload) == raw
        if kind == 1:
            assert first == total
            events(payload, first, count)
            total += count
        elif kind == 2:
            names(payload, tables)
        elif kind == 5:
            assert struct.unpack_from("<Q", payload)[0] == total
            assert r.fixed("Q")[0] == start and r.take(8) == b"DHTEND\r\n"
            r.take(8)
            finished = True
    assert finished and r.done(), "the trace is not whole"
    for number, table in enumerate(tables):
        for entry_id, entry in enumerate(table):
            print("name", number, entry_id, entry)


main(sys.argv[1])
