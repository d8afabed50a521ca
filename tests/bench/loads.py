"""The loads of the benchmark: what is run, and how many events (one malloc or one free) it makes."""
import dataclasses
import os
import struct
import subprocess

PYTHON_INDEX = (
    "import json\n"
    "index = {}\n"
    "for i in range(300000): index.setdefault('word%d' % (i * 7919 % 99991), []).append(str(i))\n"
    "text = json.dumps(index)\n"
)
PERL_HASH = 'my %h; push @{$h{$_ % 20000}}, "value $_" for 1..800000; my $n = keys %h;'
SQLITE_ROWS = (
    "create table t(a integer primary key, b text);\n"
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)\n"
    "insert into t select i, 'row number ' || i from n;\n"
    "select count(*), max(length(b)) from t;\n"
)


@dataclasses.dataclass
class Load:
    name: str
    argv: list
    environment: dict = dataclasses.field(default_factory=dict)
    input: str = ""
    events: int = 0  # 0: counted before the first round


def loop(folder, depth, threads, pairs, live=0):
    argv = [f"{folder}/loop", str(depth), str(pairs), str(threads)] + ([str(live)] if live else [])
    return Load(f"loop, depth {depth}, {threads} thread{'s' if threads > 1 else ''}", argv, events=2 * pairs * threads + live)


def compiler(folder):
    """cc1plus on what <regex> and <iostream> include, preprocessed once: the compiler alone, without the driver."""
    program = subprocess.run(["g++", "-print-prog-name=cc1plus"], capture_output=True, text=True).stdout.strip()
    source = "#include <regex>\n#include <iostream>\nint main() { std::regex r(\"a*b\"); std::cout << std::regex_match(\"ab\", r); }\n"
    subprocess.run(["g++", "-E", "-xc++", "-", "-o", f"{folder}/heavy.ii"], input=source, text=True, check=True)
    return Load("cc1plus", [program, "-quiet", "-fpreprocessed", f"{folder}/heavy.ii", "-o", f"{folder}/heavy.s"])


def real_programs(folder):
    loads = [
        compiler(folder),
        Load("python3, plain malloc", ["/usr/bin/python3", "-c", PYTHON_INDEX], {"PYTHONMALLOC": "malloc"}),
        Load("perl", ["/usr/bin/perl", "-e", PERL_HASH]),
        Load("sqlite3", ["/usr/bin/sqlite3", ":memory:"], input=SQLITE_ROWS),
    ]
    return [load for load in loads if os.access(load.argv[0], os.X_OK)]


def all_loads(folder, scale):
    pairs = int(2_000_000 * scale)
    loops = [loop(folder, depth, threads, pairs // threads) for depth in (5, 30) for threads in (1, 2, 4)]
    return loops + real_programs(folder)


def count_events(load, folder, counter):
    """Calls and frees of the whole program, by the counter that the tests use (see tests/interposer/counter_layout.h)."""
    file = f"{folder}/counts"
    record, records = 256, 4096
    with open(file, "wb") as out:
        out.truncate((records + 1) * record)
    environment = dict(os.environ, **load.environment, LD_PRELOAD=counter, MEMSWELL_TEST_COUNTER=file)
    subprocess.run(load.argv, input=load.input.encode(), env=environment, stdout=subprocess.DEVNULL, check=True)
    pages = open(file, "rb").read()
    (claimed,) = struct.unpack_from("<I", pages)
    events = 0
    for n in range(1, claimed + 1):
        *calls, _bytes, frees = struct.unpack_from("<4QQQ", pages, n * record + 8)
        events += sum(calls) + frees
    return events
