"""A TCP proxy in front of Postgres' socket that swallows, delays and resets: what networks do to a listener."""

import asyncio
import contextlib
import socket
import struct
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Self

CHUNK = 65_536
DELAY_SECONDS = 0.4
ABORT = struct.pack("ii", 1, 0)  # SO_LINGER with no time: a close sends RST


@dataclass(eq=False)
class Passage:
    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    is_severed: bool = False

    def reset(self) -> None:
        for writer in (self.client, self.server):
            connection = writer.get_extra_info("socket")
            is_open = connection is not None and connection.fileno() >= 0
            if is_open and connection.family == socket.AF_INET:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, ABORT)
            writer.transport.abort()


class Proxy:
    """Runs on a thread of its own. `mood` is "pass", "swallow" or "delay", and may change at any time."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.mood = "pass"
        self.port = 0
        self._passages: set[Passage] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)
        self._ready = threading.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def reset(self) -> None:
        """Cut every connection with a RST."""
        self._loop.call_soon_threadsafe(lambda: [passage.reset() for passage in list(self._passages)])

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        self._loop.run_until_complete(self._end())
        self._loop.close()

    async def _end(self) -> None:
        for passage in list(self._passages):
            passage.reset()
        if pumping := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(pumping, timeout=1)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            server_reader, server_writer = await asyncio.open_unix_connection(self.target)
        except OSError:
            writer.transport.abort()
            return
        passage = self._passage(writer, server_writer)
        self._passages.add(passage)
        pumps = (self._pump(passage, reader, server_writer), self._pump(passage, server_reader, writer))
        try:
            await asyncio.gather(*pumps)
        finally:
            self._passages.discard(passage)

    def _passage(self, client: asyncio.StreamWriter, server: asyncio.StreamWriter) -> Passage:
        return Passage(client, server)

    async def _pump(self, passage: Passage, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(CHUNK):
                # Once bytes are gone nothing may follow them: a network loses the end of a stream, never its middle.
                passage.is_severed = passage.is_severed or self.mood == "swallow"
                if passage.is_severed:
                    continue
                if self.mood == "delay":
                    await asyncio.sleep(DELAY_SECONDS)
                writer.write(data)
                await writer.drain()
        if writer is passage.server or not passage.is_severed:
            writer.close()
