"""The command line, as `assay` and as `python -m assay`."""

import gc
import signal


def main() -> None:
    """Load the command line and run it."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        # Loading takes a moment, in which Ctrl-C is to end the process without a word.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # What is loaded stays: looking through it for garbage, while loading and ever after, takes a fifth of the start.
    gc.disable()
    from assay.cli.main import run

    gc.freeze()
    gc.enable()
    signal.signal(signal.SIGINT, before)
    run()


if __name__ == "__main__":
    main()
