// What the workloads share: options, counted malloc, own readings, phases, and the line of JSON at the end.
// A workload reads like this: options; phase("base"); for each further phase, phase("name") and what happens in it;
// finish().
#pragma once

#include "common/options.h"
#include "common/phases.h"
#include "common/reading.h"
#include "common/tally.h"
