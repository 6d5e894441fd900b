"""Pictures of the dashboard for the documents: `make screenshots` works for a while in the demo world first."""

import sys
import time
from pathlib import Path

from playwright.sync_api import Page

from tests.browser_support import Dashboard, running_browser, running_dashboard, sign_in
from tests.process_support import wait_until

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images"
SECONDS = 240
IDLE = "select not exists (select from engine.job where not dead and run_at < now() + interval '5 seconds')"
ROW = "select id from domains where domain = 'hightower-pipes.com'"


def take_all(seconds: float) -> None:
    with running_dashboard() as dashboard, running_browser() as browser:
        context = browser.new_context(base_url=dashboard.url, device_scale_factor=1)
        page = context.new_page()
        sign_in(page, dashboard)
        work_for(dashboard, seconds)
        dashboard.db.execute(
            "update engine.workflow set paused = true, paused_reason = 'waiting for the new price list' "
            "where name = 'deep_scan'"
        )
        dashboard.world.queue.ask_again()
        time.sleep(2)  # in the middle of it
        take(page, "/workflows/page_curation", "workflow", (1280, 860), "dark")
        take(page, "/", "pipeline", (1280, 820), "light")
        take(page, "/", "pipeline-narrow", (390, 800), "dark")
        dashboard.db.execute("update engine.workflow set paused = false")
        wait_until(lambda: dashboard.db.execute(IDLE).fetchone()[0], timeout=120)
        take(page, "/workflows/domain_metadata", "workflow-narrow", (390, 800), "light")
        take(page, f"/rows/domains/{dashboard.db.execute(ROW).fetchone()[0]}", "row", (1280, 700), "light")
        take(page, "/curate/pages", "curate", (1280, 760), "light")


def work_for(dashboard: Dashboard, seconds: float) -> None:
    """Everything again and again, so that there is a past to plot."""
    end = time.monotonic() + seconds
    dashboard.fill()
    wait_until(lambda: dashboard.db.execute(IDLE).fetchone()[0], timeout=120)
    while time.monotonic() < end:
        dashboard.world.queue.ask_again()
        wait_until(lambda: dashboard.db.execute(IDLE).fetchone()[0], timeout=120)


def take(page: Page, path: str, name: str, size: tuple[int, int], scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(path)
    page.screenshot(path=FOLDER / f"{name}.png")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    take_all(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS)
