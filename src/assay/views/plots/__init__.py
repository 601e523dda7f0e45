"""Figures: each module defines ``data(...)``, which computes a table, and ``draw(frame, style)``, which plots it."""
