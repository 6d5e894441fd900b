"""Where the process of the fork server begins: next to nothing is loaded until the first parser is wanted.

So a worker that never parses pays for nothing, and one that gives up root has started it before.
"""

import json
import socket


def main(descriptor: str, limits: str) -> None:
    control = socket.socket(fileno=int(descriptor))
    if not control.recv(1, socket.MSG_PEEK):
        return  # the worker has ended before it wanted one
    from actors.sandbox.forking import Server  # noqa: PLC0415 - the parsers and their data
    from actors.sandbox.limits import Limits  # noqa: PLC0415

    server = Server(control, Limits(**json.loads(limits)))
    try:
        server.run()
    finally:
        server.end()
