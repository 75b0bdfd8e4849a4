"""Errors of a request, with the texts by which clients tell them apart: Triton's streams carry no error codes."""

import triton_python_backend_utils as pb_utils

INVALID = "Invalid request: "
UNAVAILABLE = "Engine unavailable: "
FAILED = "Engine error: "
CANCELLED = "Request was cancelled"
FAILED_IN_ENGINE = f"{FAILED}the request failed in the engine. See the server's log."
UNLOADED = f"{UNAVAILABLE}the model is being unloaded."
UNSENT = f"{FAILED}a response could not be sent. See the server's log."


class InvalidRequest(ValueError):
    """The client must change the request."""


def log_error(message):
    """Writes to tritonserver's log what clients must not see."""
    logger = getattr(pb_utils, "Logger", None)
    if logger is not None:
        logger.log_error(message)
