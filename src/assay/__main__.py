"""The command line, as `assay` and as `python -m assay`."""

import gc
import os
import signal
import sys

STOPPED = "Stopped. The live generation is unchanged; the next build removes what an unfinished one left."


def _stop_while_loading(*_: object) -> None:
    """Stop as `assay.cli.main` does on SIGTERM, before that module is loaded."""
    os.write(2, f"{STOPPED}\n".encode())
    if "--json" in sys.argv[1:]:
        os.write(1, f'{{"error": "terminated", "message": "{STOPPED}", "hint": ""}}\n'.encode())
    os._exit(143)


def main() -> None:
    """Load the command line and run it."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        # While loading, Ctrl-C ends the process without a message.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _stop_while_loading)
    # Modules are never garbage: scanning them would take a fifth of the start time.
    gc.disable()
    from assay.cli.main import asked_command, command_line, run

    app = command_line(asked_command())
    gc.freeze()
    gc.enable()
    signal.signal(signal.SIGINT, before)
    run(app)


if __name__ == "__main__":
    main()
