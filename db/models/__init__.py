"""The business tables, in the order a lead travels."""

from db.models.base import Base
from db.models.contact import Contact
from db.models.domain import Domain
from db.models.local_business import LocalBusiness
from db.models.page import Page
from db.models.place import Place
from db.models.place_search import PlaceSearch
from db.models.robots_file import RobotsFile
from db.models.sitemap_file import SitemapFile
from db.models.suppression import Suppression
from db.models.tenant import Tenant

__all__ = [
    "Base",
    "Contact",
    "Domain",
    "LocalBusiness",
    "Page",
    "Place",
    "PlaceSearch",
    "RobotsFile",
    "SitemapFile",
    "Suppression",
    "Tenant",
]
