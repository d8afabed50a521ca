#!/usr/bin/env python3
"""A small real program for scripts/demo: reads text, builds an index of its words, writes it as JSON, drops the text.

It tells memswell of its phases through ctypes; without memswell around it the call is not there and nothing happens.
"""
import ctypes
import json
import random
import sys


def phase(name):
    try:
        ctypes.CDLL(None).memswell_phase(name.encode())
    except AttributeError:
        pass


def make_lines(count):
    words = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=random.randint(3, 9))) for _ in range(20_000)]
    return [" ".join(random.choices(words, k=12)) for _ in range(count)]


def make_index(lines):
    index = {}
    for number, line in enumerate(lines):
        for word in line.split():
            index.setdefault(word, []).append(number)
    return index


def main():
    random.seed(1)
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 60_000
    phase("load")
    lines = make_lines(count)
    phase("index")
    index = make_index(lines)
    phase("write")
    text = json.dumps(index)
    phase("drop")
    entries = len(index)
    del lines, index
    phase("end")
    print(f"{entries} words, {len(text)} characters of JSON")


main()
