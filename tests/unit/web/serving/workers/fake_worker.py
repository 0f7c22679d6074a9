"""A worker that serves nothing: it does what the variable FAKE_WORKER says, and notes the orders in FAKE_NOTES."""

import os
import signal
import sys
from multiprocessing.connection import Connection
from pathlib import Path

from assay.errors import ConfigurationError
from assay.web.serving.workers.messages import Failed, Order, Ready


def main(descriptor: int) -> None:
    connection = Connection(descriptor)
    task = connection.recv()
    plan = os.environ["FAKE_WORKER"]
    with Path(os.environ["FAKE_NOTES"]).open("a") as notes:
        print(f"started {task.share.number}", file=notes, flush=True)
        if plan == "fail":
            connection.send(Failed(ConfigurationError("It cannot start.", hint="Do this.")))
            return
        if plan == "die":
            sys.exit(7)
        connection.send(Ready())
        if plan == "crash" and task.share.number == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        while True:
            order = connection.recv()
            print(order, file=notes, flush=True)
            if order == Order.STOP or plan != "stubborn":
                return
