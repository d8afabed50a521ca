"""One run of one load under one tool, and what it cost."""
import ctypes
import dataclasses
import glob
import os
import shutil
import subprocess
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36


@dataclasses.dataclass
class Tool:
    name: str
    prefix: list           # before the program; {out} is a fresh folder
    recordings: str = ""   # glob of what it leaves in {out}
    report: list = dataclasses.field(default_factory=list)  # command that prints the report of {recording}


@dataclasses.dataclass
class Cost:
    wall_ns: int           # from start to the return of the whole command
    program_wall_ns: int   # of the program itself, from its loader's end to its exit
    program_cpu_ns: int
    helper_cpu_ns: int     # everything else that was started: recorder, interpreter, shell
    rss_kb: int            # of the program at its exit, from smaps_rollup
    private_dirty_kb: int
    recording_bytes: int = 0
    report_ns: int = 0
    report_peak_kb: int = 0


def tools(memswell):
    return [
        Tool("native", []),
        Tool("heaptrack -r", ["heaptrack", "-r", "-o", "{out}/h"], "h*"),
        Tool("heaptrack", ["heaptrack", "-o", "{out}/h"], "h*", ["heaptrack_print", "-f", "{recording}"]),
        Tool("memswell", [memswell, "run", "-q", "-o", "{out}/m.swell", "--"], "m.swell", [memswell, "report", "{recording}"]),
        Tool("memswell, sampled", [memswell, "run", "-q", "--sample-allocs", "512KiB", "-o", "{out}/m.swell", "--"], "m.swell",
             [memswell, "report", "{recording}"]),
    ]


def fill(words, **values):
    return [word.format(**values) if "{" in word else word for word in words]


def timed(argv, **options):
    """Runs a command; returns its wall time, its and its descendants' CPU time, and its largest process's peak RSS.

    Descendants that outlive their parents come to us (prctl(2), PR_SET_CHILD_SUBREAPER): a recorder that detached itself
    is waited for and counted like one that did not.
    """
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    begin = time.monotonic_ns()
    process = subprocess.Popen(argv, **options)
    stdin = process.stdin
    if stdin:
        stdin.close()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic_ns() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    usages = [usage] + orphans()
    return (process.returncode, wall, int(sum(u.ru_utime + u.ru_stime for u in usages) * 1e9),
            max(u.ru_maxrss for u in usages))


def orphans():
    usages = []
    while True:
        try:
            usages.append(os.wait3(0)[2])
        except ChildProcessError:
            return usages


def at_exit_figures(path, program):
    """What the program itself left: the tool's own processes leave lines in the file too."""
    for line in open(path) if os.path.exists(path) else []:
        *figures, executable = line.rstrip("\n").split(" ", 4)
        if executable == os.path.realpath(program):
            return [int(figure) for figure in figures]
    raise RuntimeError(f"{program} left no figures at its exit")


def run_once(tool, load, at_exit, with_report):
    out = tempfile.mkdtemp(prefix="memswell-bench.")
    try:
        figures = f"{out}/at_exit"
        environment = dict(os.environ, **load.environment, LD_PRELOAD=at_exit, BENCH_AT_EXIT=figures)
        with open(f"{out}/input", "w+") as stdin:
            stdin.write(load.input)
            stdin.seek(0)
            code, wall, cpu, _ = timed(fill(tool.prefix, out=out) + load.argv, stdin=stdin, env=environment,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=out)
        if code != 0:
            raise RuntimeError(f"{load.name} under {tool.name} ended with {code}")
        program_cpu, program_wall, rss, dirty = at_exit_figures(figures, load.argv[0])
        cost = Cost(wall, program_wall, program_cpu, max(0, cpu - program_cpu), rss, dirty)
        recordings = glob.glob(f"{out}/{tool.recordings}") if tool.recordings else []
        cost.recording_bytes = sum(os.path.getsize(path) for path in recordings)
        if with_report and tool.report and recordings:
            _, cost.report_ns, _, cost.report_peak_kb = timed(fill(tool.report, recording=recordings[0]),
                                                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return cost
    finally:
        shutil.rmtree(out, ignore_errors=True)
