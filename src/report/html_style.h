// The style sheet of the HTML report.
#pragma once

namespace memswell::report {

inline constexpr const char* kHtmlStyle = R"(
:root { color-scheme: light dark; --ink: #1c2430; --faint: #66707d; --paper: #fff; --line: #d6dbe1; --band: #8aa0b818; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #dde3ea; --faint: #98a3b0; --paper: #14181d; --line: #39424d; --band: #8aa0b81c; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 1100px;
       margin: 2em auto; padding: 0 1em; }
h1 { font-size: 1.4em; overflow-wrap: anywhere; } h2 { margin-top: 2em; border-bottom: 1px solid var(--line); }
h3 { margin: 1.5em 0 .4em; } .faint, .legend { color: var(--faint); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .15em .7em .15em 0; vertical-align: top; overflow-wrap: anywhere; }
th { color: var(--faint); font-weight: normal; border-bottom: 1px solid var(--line); }
th.figure, td.figure { text-align: right; white-space: nowrap; }
li { margin: .6em 0; } .try { color: #1d7a46; } pre { white-space: pre-wrap; }
svg { width: 100%; height: auto; display: block; } svg text { font: 11px sans-serif; fill: var(--ink); }
svg.bar { height: 22px; } svg .end { text-anchor: end; } svg line { stroke: var(--line); stroke-dasharray: 3 3; }
.phase0 { fill: transparent; } .phase1 { fill: var(--band); }
polyline { fill: none; stroke-width: 1.5; } polyline.rss { stroke: #c2410c; } polyline.live { stroke: #2563eb; }
.legend .rss { color: #c2410c; } .legend .live { color: #2563eb; }
.flame text { fill: #1c2430; } .f0 { fill: #f4b183; } .f1 { fill: #f7c873; } .f2 { fill: #e8a798; } .f3 { fill: #f3d9a0; }
.f4 { fill: #e9bb8b; } .f5 { fill: #f0c4a8; }
.o0 { fill: #2563eb; } .o1 { fill: #60a5fa; } .o2 { fill: #93c5fd; } .o3 { fill: #f59e0b; } .o4 { fill: #dc2626; }
.o5 { fill: #fbbf24; } .o6 { fill: #a855f7; } .o7 { fill: #0d9488; } .o8 { fill: #84cc16; } .o9 { fill: #94a3b8; }
.o10 { fill: #cbd5e1; } .o11 { fill: #64748b; } .o12 { fill: #000; }
)";

}  // namespace memswell::report
