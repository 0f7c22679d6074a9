"""The command line, as `assay` and as `python -m assay`."""

import gc
import os
import signal
import sys

STOPPED = "Stopped. What was live is live still; the next run clears what this one left."


def _stop_while_loading(*_: object) -> None:
    """Say what `assay.cli.main` says of SIGTERM, which is not loaded yet, and end with the same code."""
    os.write(2, f"{STOPPED}\n".encode())
    if "--json" in sys.argv[1:]:
        os.write(1, f'{{"error": "terminated", "message": "{STOPPED}", "hint": ""}}\n'.encode())
    os._exit(143)


def main() -> None:
    """Load the command line and run it."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        # Loading takes a moment, in which Ctrl-C is to end the process without a word.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _stop_while_loading)
    # What is loaded stays: looking through it for garbage, while loading and ever after, takes a fifth of the start.
    gc.disable()
    from assay.cli.main import run

    gc.freeze()
    gc.enable()
    signal.signal(signal.SIGINT, before)
    run()


if __name__ == "__main__":
    main()
