"""The routes of the service, one file per group."""
