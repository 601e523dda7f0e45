"""Measure the effort that rankings cost their users: Twist, recovery, curves of relative position."""
