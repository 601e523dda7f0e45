"""Measure the effort of users: Twist, recovery, curves of relative position."""
