"""Figures: each file of this folder has ``data(...)``, what is shown, and ``draw(frame, style)``, how it looks."""
