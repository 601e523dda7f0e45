"""Evaluation in parts: runs larger than memory on one machine, with the values that they have in memory.

A run is read as a stream. Where each topic stands in one stretch, topics are evaluated as soon as they are complete and
only their values are kept. Where a topic comes back, the lines are first put into partitions on disk, by topic.
"""
