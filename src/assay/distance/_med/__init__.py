"""MED, the maximized effectiveness distance: one module for each family of measures."""
