"""A worker that is started by root: starts its fork server, becomes an ordinary user, and reads. Run by a test."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from actors.parse.contact_page import read_contact_page
from actors.parse.wire_body import WireBody, WireHead
from actors.sandbox.limits import Limits
from actors.sandbox.pool import ParserPool
from actors.sandbox.reader import Reader
from tests.sandbox_support import Noted

USER = 54321

pool = ParserPool(Limits(), 1, Noted())
pool.start()
os.setgroups([])
os.setresgid(USER, USER, USER)
os.setresuid(USER, USER, USER)
body = WireBody(WireHead("https://acme-bau.de/", None, "text/html", 1000), b"<p>info@acme-bau.de")
reader = Reader(pool)
answer = reader.read(read_contact_page, [body], region=None)
status = Path(f"/proc/{pool.server_pid}/status").read_text(encoding="utf-8")
reader.close()
pool.close()
ids = status.partition("Uid:")[2].split()[0]
sys.stdout.write(json.dumps({"user": os.getuid(), "server": int(ids), "addresses": answer.addresses}))
