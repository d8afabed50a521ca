"""Medians, spreads and the tables that are printed."""
import dataclasses
import statistics

from measure import Cost


PRINTED = ("heaptrack -r", "heaptrack", "memswell", "memswell, sampled")


def median(costs, field):
    return statistics.median(getattr(cost, field) for cost in costs)


def spread_percent(costs, field):
    """Half the distance between the smallest and the largest run, in percent of the median."""
    values = [getattr(cost, field) for cost in costs]
    middle = statistics.median(values)
    return 100.0 * (max(values) - min(values)) / 2 / middle if middle else 0.0


def medians(costs):
    return Cost(**{field.name: median(costs, field.name) for field in dataclasses.fields(Cost)})


def overhead_per_event(cost, native, events, field="program_wall_ns"):
    return (getattr(cost, field) - getattr(native, field)) / events


def ratio(a, b):
    return f"{a / b:.2f}" if b > 0 else "–"


def print_table(title, header, rows):
    widths = [max(len(str(row[i])) for row in [header] + rows) for i in range(len(header))]
    print(f"\n{title}")
    for row in [header] + rows:
        print("  " + "  ".join(str(cell).ljust(widths[i]) if i == 0 else str(cell).rjust(widths[i]) for i, cell in enumerate(row)))


def print_overhead(results):
    """results: [(load, {tool name: [Cost, …]})]"""
    rows = []
    for load, by_tool in results:
        native = medians(by_tool["native"])
        per_event = {name: overhead_per_event(medians(costs), native, load.events) for name, costs in by_tool.items()}
        spread = max(spread_percent(costs, "program_wall_ns") for costs in by_tool.values())
        rows.append([load.name, f"{load.events / 1e6:.2f} M", f"{native.program_wall_ns / load.events:.1f}"]
                    + [f"{per_event[name]:.1f}" if name in per_event else "–" for name in PRINTED if name in results[0][1]]
                    + [ratio(per_event["memswell"], per_event.get("heaptrack -r", 0)),
                       ratio(per_event["memswell"], per_event.get("heaptrack", 0)), f"±{spread:.0f} %"])
    print_table("Overhead in the program, ns an event (wall time of the program less native)",
                ["load", "events", "native"] + [name for name in PRINTED if name in results[0][1]] + ["of -r", "of heaptrack", "spread"], rows)


def print_whole(results):
    rows = []
    for load, by_tool in results:
        native = medians(by_tool["native"])
        for name, costs in by_tool.items():
            cost = medians(costs)
            rows.append([load.name if name == "native" else "", name, f"{cost.wall_ns / 1e9:.2f}", f"{cost.program_cpu_ns / 1e9:.2f}",
                         f"{cost.helper_cpu_ns / 1e9:.2f}", cost.rss_kb - native.rss_kb, cost.private_dirty_kb - native.private_dirty_kb,
                         f"{cost.recording_bytes / load.events:.2f}", f"{cost.report_ns / 1e9:.2f}", f"{cost.report_peak_kb / 1024:.0f}"])
    print_table("Whole command (s), memory added to the program (kB), recording (bytes an event), report (s, MiB)",
                ["load", "tool", "wall", "CPU program", "CPU helpers", "RSS +", "private dirty +", "bytes/event", "report", "peak"], rows)


def print_added(results):
    """What the whole command takes longer than the program alone, and with the first report made."""
    rows = []
    for load, by_tool in results:
        if not {"heaptrack", "heaptrack -r"} <= by_tool.keys():
            continue
        cost = {name: medians(costs) for name, costs in by_tool.items()}
        added = {name: one.wall_ns - cost["native"].wall_ns for name, one in cost.items()}
        reported = {name: added[name] + cost[name].report_ns for name in ("heaptrack", "memswell")}
        rows.append([load.name] + [f"{added[name] / 1e9:.2f}" for name in ("heaptrack -r", "heaptrack", "memswell")]
                    + [ratio(added["memswell"], added["heaptrack -r"]), f"{reported['heaptrack'] / 1e9:.2f}", f"{reported['memswell'] / 1e9:.2f}",
                       ratio(reported["memswell"], reported["heaptrack"])])
    if rows:
        print_table("Added to the whole command, s; and with a report", ["load", "heaptrack -r", "heaptrack", "memswell", "of -r",
                    "heaptrack + report", "memswell + report", "of heaptrack"], rows)


def print_start_up(by_tool):
    rows = [[name, f"{median(costs, 'wall_ns') / 1e6:.0f}", f"±{spread_percent(costs, 'wall_ns'):.0f} %"] for name, costs in by_tool.items()]
    print_table("Start-up: `true` as a whole, ms", ["tool", "wall", "spread"], rows)


def print_growth(rows):
    print_table("How it grows: memswell alone", ["load", "wall s", "recording MiB", "bytes/event", "report s", "report peak MiB"], rows)
