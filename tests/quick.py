"""What takes a test time and shows nothing: commands built for each call, and writes that wait for the disk."""

from functools import cache

import typer.main

command_made_once = cache(typer.main.get_command)
"""In place of `typer.main.get_command`: a program builds its commands once, a test would for each call."""


def leave_to_the_system(descriptor: int) -> None:
    """In place of `os.fsync`: what is written outlives a kill, and nobody cuts the power."""
