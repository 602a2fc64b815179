"""Faults of access that axe finds on a page as a browser shows it."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

AXE = Axe()


def faults_of_access(page: Page) -> list[str]:
    """Return each rule broken with the elements that break it."""
    found = AXE.run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]
