"""The HTTP service: its application, API, page and server."""
