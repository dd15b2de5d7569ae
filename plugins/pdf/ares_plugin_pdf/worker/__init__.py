"""What runs in a process of its own: it reads one PDF from its standard input, tells what it found, and ends.

Nothing here imports Ares: the process starts with ``python -I -S``, and loads these files without the package around
them.
"""
