#!/usr/bin/perl
# The first script of the third seed: STRINGS strings, APPENDS appends of BYTES bytes to each. In order i one string is
# finished before the next begins; in order _ each gets an append in turn.
#
#   append.pl i|_ [STRINGS APPENDS BYTES]
#
# Prints a line "== NAME" at the begin of a phase, for memswell run --phase-on '^== (.*)'.
use strict;
use warnings;
use Time::HiRes qw(clock_gettime CLOCK_PROCESS_CPUTIME_ID);

$| = 1;
my ($order, $strings, $appends, $bytes) = (@ARGV, ('i', 1000, 1000, 100)[@ARGV .. 3]);
die "order is i or _\n" unless $order eq 'i' || $order eq '_';

sub status {
    my ($key) = @_;
    open my $file, '<', '/proc/self/status' or die "/proc/self/status: $!\n";
    while (<$file>) { return $1 if /^$key:\s+(\d+)/ }
    return 0;
}

my $piece = 'x' x $bytes;
my @all = map { '' } 1 .. $strings;
print "== append $order\n";
my ($rss, $size, $begin) = (status('VmRSS'), status('VmSize'), clock_gettime(CLOCK_PROCESS_CPUTIME_ID));
if ($order eq 'i') {
    for my $i (0 .. $strings - 1) {
        for (1 .. $appends) { $all[$i] .= $piece }
    }
} else {
    for (1 .. $appends) {
        $_ .= $piece for @all;
    }
}
my $spent = clock_gettime(CLOCK_PROCESS_CPUTIME_ID) - $begin;
printf "append \$%s: %.1f ms   rss +%d kB   size +%d kB   strings %d k\n", $order, $spent * 1e3, status('VmRSS') - $rss,
    status('VmSize') - $size, $strings * $appends * $bytes / 1000;
print "== end\n";
