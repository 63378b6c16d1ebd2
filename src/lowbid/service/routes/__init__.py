"""The routes of the service, one file per group."""

from lowbid.service.routes._context import Context as Context
from lowbid.service.routes._correction_routes import correction_routes as correction_routes
from lowbid.service.routes._decision_routes import DecisionRouter as DecisionRouter
from lowbid.service.routes._decision_routes import decision_routes as decision_routes
from lowbid.service.routes._experiment_routes import experiment_routes as experiment_routes
from lowbid.service.routes._experiment_routes import settings_of as settings_of
from lowbid.service.routes._experiment_routes import view_routes as view_routes
from lowbid.service.routes._health_routes import HEALTH as HEALTH
from lowbid.service.routes._health_routes import health_routes as health_routes
from lowbid.service.routes._page_routes import PAGE as PAGE
from lowbid.service.routes._page_routes import page_routes as page_routes
