#!/usr/bin/env python3
"""The loop of the second seed on this interpreter: 4,000,000 ints and a dict of 2,000,000 items, pass after pass.

dict_passes.py [ITEMS [PASSES]]      Runs on Python 2.7 too, whose ints have a free list.
"""
import gc
import sys

sys.dont_write_bytecode = True
import memswell_phase as memswell


def one_pass(items):
    table = {}
    i = 0
    while i < items:
        table[i] = i + items
        i += 1
    return table


def main():
    items = int(sys.argv[1]) if len(sys.argv) > 1 else 2000000
    passes = int(sys.argv[2]) if len(sys.argv) > 2 else 4
    gc.disable()
    print("Python %s, %d items" % (sys.version.split()[0], items))
    memswell.phase("base")
    print("%-8s rss %7d kB" % ("base", memswell.rss()))
    for number in range(1, passes + 1):
        memswell.phase("fill-%d" % number)
        table = one_pass(items)
        print("%-8s rss %7d kB   peak %7d kB   size %7d kB" % (
            "fill-%d" % number, memswell.rss(), memswell.peak_rss(), memswell.size()))
        memswell.phase("drop-%d" % number)
        del table
        print("%-8s rss %7d kB" % ("drop-%d" % number, memswell.rss()))
    sys.stdout.flush()


main()
