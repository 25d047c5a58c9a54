"""Errors as `application/problem+json` (RFC 9457): a status, a code to act on, and one sentence for a person."""

from __future__ import annotations

from typing import Any

from camphor.errors import (
    CamphorError,
    CannotUndo,
    DeviceBusy,
    MissingExtra,
    ModelError,
    Refused,
    StoreError,
    ToolError,
    UsageError,
)

MEDIA_TYPE = "application/problem+json"


class Problem(CamphorError):
    """A request that cannot be met. `status` and `code` are for programs."""

    status, code = 400, "bad_request"


class NotFound(Problem):
    status, code = 404, "not_found"


class Conflict(Problem):
    status, code = 409, "conflict"


class TooLarge(Problem):
    status, code = 413, "too_large"


class WrongKind(Problem):
    """An upload that is not what it says."""

    status, code = 415, "wrong_kind"


class CodeNeeded(Problem):
    status, code = 401, "pass_code_needed"


class NotEntered(Problem):
    """Neither the one-time address nor the key was used."""

    status, code = 401, "not_entered"

    def __init__(self) -> None:
        super().__init__(
            "This browser was not let in: open the address that `camphor serve` printed in its terminal; "
            "programs send the key as X-Camphor-Key (docs/web.md)"
        )


class KeyNeeded(Problem):
    """Under `/v1` the key is missing or wrong."""

    status, code = 401, "invalid_api_key"

    def __init__(self) -> None:
        super().__init__(
            "The key is missing or wrong: `camphor serve --api` tells the file that it lies in (docs/mcp.md)"
        )


class Forbidden(Problem):
    status, code = 403, "forbidden"


class TooMany(Problem):
    status, code = 429, "too_many_tries"


_STATUS: tuple[tuple[type[CamphorError], int, str], ...] = (
    (MissingExtra, 501, "part_missing"),
    (UsageError, 422, "bad_input"),
    (ToolError, 422, "not_understood"),
    (Refused, 409, "refused"),
    (CannotUndo, 409, "cannot_undo"),
    (DeviceBusy, 503, "phone_busy"),
    (StoreError, 503, "phone_unreadable"),
    (ModelError, 503, "model_cannot_answer"),
)
TITLES = {
    400: "The request is broken",
    401: "Not let in",
    403: "Not allowed",
    404: "Not found",
    405: "Not allowed here",
    409: "In conflict with what happened before",
    413: "Too large",
    415: "Not of a kind that is understood",
    422: "Not understood",
    429: "Too many tries",
    501: "A part is not installed",
    503: "Cannot be done now",
}


def status_of(error: CamphorError) -> tuple[int, str]:
    """The HTTP status and the code of an error."""
    if isinstance(error, Problem):
        return error.status, error.code
    return next(((status, code) for kind, status, code in _STATUS if isinstance(error, kind)), (500, "error"))


API = "/v1/"
"""Where programs reach a model: there faults have OpenAI's form, and the key is a bearer token."""


def openai_error(status: int, code: str, message: str, param: str | None = None) -> dict[str, Any]:
    """An error as OpenAI's clients read it."""
    kinds = {401: "authentication_error", 403: "permission_error"}
    kind = kinds.get(status, "server_error" if status >= 500 else "invalid_request_error")
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def body(status: int, code: str, detail: str) -> dict[str, Any]:
    """The document that is sent."""
    title = TITLES.get(status, "Something broke")
    return {"type": f"urn:camphor:{code}", "title": title, "status": status, "code": code, "detail": detail}
