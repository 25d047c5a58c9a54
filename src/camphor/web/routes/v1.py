"""The model for other programs, as OpenAI's clients ask for one: what it is, a function caller, and no phone."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from camphor.web.completions import ApiProblem, Completion, error_body, models, read, told
from camphor.web.feed import Json
from camphor.web.services import services_of

router = APIRouter(prefix="/v1", include_in_schema=False)


@router.get("/models")
def listed() -> dict[str, Any]:
    return models()


@router.get("/models/{name}")
def one(name: str) -> Response:
    found = next((each for each in models()["data"] if each["id"] == name), None)
    if found is None:
        return _refused(ApiProblem(f"There is no model {name[:80]!r} here", 404, "model_not_found", "model"))
    return Json(found)


@router.post("/chat/completions")
async def complete(request: Request) -> Response:
    try:
        body = read(await request.body())
        model = services_of(request).api_model()
        completion = await run_in_threadpool(Completion, model, body)
        if body.stream:
            return StreamingResponse(completion.lines(), media_type="text/event-stream")
        return Json(await run_in_threadpool(completion.whole))
    except Exception as error:
        return _refused(told(error))


def _refused(problem: ApiProblem) -> Response:
    return Json(error_body(problem), problem.status)
