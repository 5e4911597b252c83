"""Traffic watched by a sample: one table of scores, weekly trend, alarm, queue for people."""
