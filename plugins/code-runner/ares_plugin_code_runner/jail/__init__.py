"""What runs in the child process, before the snippet: it builds the walls and then becomes the interpreter.

Nothing here imports Ares or anything outside the standard library: the child starts with ``python -I -S``, and loads
these files without the package around them.
"""
