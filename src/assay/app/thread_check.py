"""Whether this process can start threads, which builds and checks need."""

from concurrent.futures import ThreadPoolExecutor

from assay.errors import InputError


def require_threads() -> None:
    """Raise InputError if no thread can be started: the interpreter is ending, or a limit is reached.

    A build would end with Python's error after it has read everything, and a check that cannot run counts as failed.
    """
    try:
        with ThreadPoolExecutor(1) as threads:
            threads.submit(int).result()
    except RuntimeError as error:
        raise InputError(
            f"Nothing can be built or checked now, because Python starts no threads: {error}.",
            hint="Call this before the program ends: not in an atexit handler, and not in a thread that outlives the "
            "main thread.",
        ) from error
