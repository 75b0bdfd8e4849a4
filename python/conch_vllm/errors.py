"""Errors of a request, with the texts by which clients tell them apart: Triton's streams carry no error codes."""

INVALID = "Invalid request: "
UNAVAILABLE = "Engine unavailable: "
FAILED = "Engine error: "
CANCELLED = "Request was cancelled"


class InvalidRequest(ValueError):
    """The client must change the request."""
