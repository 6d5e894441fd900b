"""No thread of a process dies alone."""

import subprocess
import sys

DIES = """
import threading, time
from app.giving_up import no_thread_dies_alone

def fail():
    raise MemoryError("nothing left")

with no_thread_dies_alone():
    threading.Thread(target=fail, name="heart").start()
    time.sleep(30)
"""


def test_a_thread_that_ends_by_an_error_takes_its_process_with_it_and_says_why():
    done = subprocess.run([sys.executable, "-c", DIES], capture_output=True, text=True, timeout=120, check=False)

    assert done.returncode == 70
    assert "process.gave_up" in done.stderr
    assert "MemoryError: nothing left" in done.stderr
