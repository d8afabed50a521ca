#!/usr/bin/env python3
"""The table of the first seed on this interpreter: what bytes, str and tuples of growing sizes cost in time and memory.

Memory is the growth of private dirty memory while the object lives, after one byte of every page was read, and after ten
pages were written (where the object can be written). The bytes(n) row is the one that calloc made free.
"""
import sys
import time

sys.dont_write_bytecode = True
import memswell_phase as memswell

MIB = 1 << 20

# Sizes come in as arguments, so that the compiler does not make constants of them.
ROWS = [
    ("object()", lambda: object()),
    ("b'A' * 10", lambda n=10: b"A" * n),
    ("b'A' * 10**3", lambda n=10**3: b"A" * n),
    ("b'A' * 10**6", lambda n=10**6: b"A" * n),
    ("'A' * 10", lambda n=10: "A" * n),
    ("'A' * 10**3", lambda n=10**3: "A" * n),
    ("'A' * 10**6", lambda n=10**6: "A" * n),
    ("'A' * 10**8", lambda n=10**8: "A" * n),
    ("decode 10 null bytes", lambda data=b"\0" * 10: data.decode()),
    ("decode 10**3 null bytes", lambda data=b"\0" * 10**3: data.decode()),
    ("decode 10**6 null bytes", lambda data=b"\0" * 10**6: data.decode()),
    ("(None,) * 10**0", lambda n=1: (None,) * n),
    ("(None,) * 10**1", lambda n=10: (None,) * n),
    ("(None,) * 10**2", lambda n=10**2: (None,) * n),
    ("(None,) * 10**3", lambda n=10**3: (None,) * n),
    ("(None,) * 10**4", lambda n=10**4: (None,) * n),
    ("(None,) * 10**5", lambda n=10**5: (None,) * n),
    ("(None,) * 10**6", lambda n=10**6: (None,) * n),
    ("(None,) * 10**7", lambda n=10**7: (None,) * n),
    ("([None] * 10)[1:-1]", lambda n=10: ([None] * n)[1:-1]),
    ("([None] * 10**3)[1:-1]", lambda n=10**3: ([None] * n)[1:-1]),
    ("([None] * 10**6)[1:-1]", lambda n=10**6: ([None] * n)[1:-1]),
    ("bytes(50 MiB)", lambda n=50 * MIB: bytes(n)),
    ("bytearray(50 MiB)", lambda n=50 * MIB: bytearray(n)),
]

# Left out unless the argument is "all": they need 2 GB and a minute.
LARGE_ROWS = [
    ("decode 10**8 null bytes", lambda n=10**8: bytes(n).decode()),
    ("(None,) * 10**8", lambda n=10**8: (None,) * n),
    ("([None] * 10**8)[1:-1]", lambda n=10**8: ([None] * n)[1:-1]),
]


def fastest(make):
    """Seconds of the fastest of some calls; small ones in batches."""
    begin = time.perf_counter()
    make()
    once = time.perf_counter() - begin
    batch = max(1, min(10000, int(2e-4 / max(once, 1e-8))))
    best = once
    for _ in range(3 if once < 0.5 else 1):
        begin = time.perf_counter()
        for _ in range(batch):
            make()
        best = min(best, (time.perf_counter() - begin) / batch)
    return best


def read_pages(thing):
    if isinstance(thing, (bytes, bytearray)):
        total = 0
        for at in range(0, len(thing), 4096):
            total += thing[at]
        return total
    return 0


def write_ten_pages(thing):
    if isinstance(thing, bytearray) and len(thing) >= 10 * 4096:
        for page in range(10):
            thing[page * 4096] = 1
        return True
    return False


def memory_of(make):
    """kB of private dirty memory: with the object alive, after reading it, after writing it (None: not writable)."""
    before = memswell.private_dirty()
    thing = make()
    alive = memswell.private_dirty() - before
    read_pages(thing)
    read = memswell.private_dirty() - before
    written = memswell.private_dirty() - before if write_ten_pages(thing) else None
    return alive, read, written


def main():
    print("%-26s %12s %10s %10s %10s" % ("", "fastest", "alive kB", "read kB", "written kB"))
    total = 0.0
    for name, make in ROWS + (LARGE_ROWS if sys.argv[1:] == ["all"] else []):
        memswell.phase(name)
        alive, read, written = memory_of(make)
        seconds = fastest(make)
        total += seconds
        print("%-26s %9.3f us %10d %10d %10s" % (name, seconds * 1e6, alive, read, "-" if written is None else written))
    print("%-26s %9.3f ms" % ("Total", total * 1e3))
    sys.stdout.flush()


main()
