"""Where `scrapersky` begins: an interrupt is minded before anything large is read."""

import os
import signal

INTERRUPTED = 130


def main() -> None:
    # Nothing is begun yet that wants tidying, and an import that is broken off leaves but a trace.
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    from app.cli import main as run

    run()


if __name__ == "__main__":
    main()
