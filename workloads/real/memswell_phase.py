"""Phases for memswell, and the process's own figures. Without memswell, phase() only resets the kernel's peak.

Runs on Python 2.7 and 3. Sizes are kB, as /proc gives them.
"""
import ctypes

_library = ctypes.CDLL(None)
_announce = getattr(_library, "memswell_phase", None)


def phase(name):
    """Ends the phase before and begins `name`."""
    if _announce is not None:
        _announce(ctypes.c_char_p(name.encode()))
        return
    try:
        with open("/proc/self/clear_refs", "w") as refs:
            refs.write("5")
    except IOError:
        pass


def _field(path, key):
    with open(path) as lines:
        for line in lines:
            if line.startswith(key):
                return int(line.split()[1])
    return 0


def rss():
    return _field("/proc/self/status", "VmRSS:")


def peak_rss():
    return _field("/proc/self/status", "VmHWM:")


def size():
    return _field("/proc/self/status", "VmSize:")


def private_dirty():
    return _field("/proc/self/smaps_rollup", "Private_Dirty:")
