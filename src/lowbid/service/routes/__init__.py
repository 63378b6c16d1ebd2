"""The routes of the service, one file per group."""

from lowbid.service.routes._context import Context as Context
from lowbid.service.routes._decisions import decision_routes as decision_routes
from lowbid.service.routes._experiments import experiment_routes as experiment_routes
from lowbid.service.routes._experiments import settings_of as settings_of
from lowbid.service.routes._experiments import view_routes as view_routes
from lowbid.service.routes._health import HEALTH as HEALTH
from lowbid.service.routes._health import health_routes as health_routes
from lowbid.service.routes._page import PAGE as PAGE
from lowbid.service.routes._page import page_routes as page_routes
