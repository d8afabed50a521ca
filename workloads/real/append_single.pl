#!/usr/bin/perl
# The second script of the third seed: one string grows by 1,024,000 characters a row. The row is the seed's, with the column
# that it did not print: size, the address space, where the over-allocated tail shows.
#
#   append_single.pl [ROWS]
use strict;
use warnings;

$| = 1;
my $rows = shift // 20;
my @columns = qw(rss shared_clean shared_dirty private_clean private_dirty size);

sub memory {
    my %sum = map { $_ => 0 } @columns;
    open my $file, '<', '/proc/self/smaps' or die "/proc/self/smaps: $!\n";
    while (<$file>) {
        $sum{ lc $1 } += $2 if /^(Rss|Shared_Clean|Shared_Dirty|Private_Clean|Private_Dirty|Size):\s+(\d+) kB/;
    }
    return \%sum;
}

my $string = '';
for my $row (1 .. $rows) {
    print "== row-$row\n";
    $string .= '#' for 1 .. 1_024_000;
    my $sum = memory();
    print join(', ', map { "$_: $sum->{$_}" } @columns), ', string: ', length($string) / 1024, " k\n";
}
