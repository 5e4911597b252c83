"""The labelling page as a web site: FastAPI around the pages, the gate around both."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from metajudge.errors import MissingExtraError
from metajudge.labelling.decisions import Decisions
from metajudge.labelling.desk import Desk
from metajudge.labelling.door import Door
from metajudge.labelling.forms import FormError, read_form
from metajudge.labelling.gate import Application, Gate
from metajudge.labelling.page import Page, render, static, static_mark
from metajudge.labelling.pages import Ask, Pages
from metajudge.labelling.words import Language

if TYPE_CHECKING:
    from fastapi.telemetry import TelemetryConfig
    from starlette.requests import Request
    from starlette.responses import Response

_STATIC = {
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "mark.svg": "image/svg+xml",
}
_NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "auto_configure": False,
}
"""Newer versions report to whatever collector the environment names; older ones ignore this."""
_KEEP_S = 30 * 24 * 3600
_KEPT_WHOLE = "private, max-age=31536000, immutable"
Handler = Callable[[Ask], Page]
Endpoint = Callable[["Request"], Awaitable["Response"]]


class Routes(NamedTuple):
    """Paths and what answers them."""

    get: Mapping[str, Handler]
    post: Mapping[str, Handler]


def routes(pages: Pages) -> Routes:
    """Every path of the site but the static files."""
    decide = Decisions(pages)
    return Routes(
        get={
            "/": pages.work,
            "/claim": pages.claim,
            "/saved": pages.saved,
            "/history": pages.history,
            "/guideline": pages.guideline,
            "/language": pages.language,
            "/start": pages.start,
        },
        post={
            "/label": decide.label,
            "/skip": decide.skip,
            "/settle": decide.settle,
            "/review": decide.review,
            "/undo": decide.undo,
            "/start": pages.start,
        },
    )


def labelling_site(desk: Desk, door: Door, language: Language = "en") -> Application:
    """The site of one annotator at one gold set, as an ASGI application.

    Args:
        desk: The annotator's.
        door: Who may come in.
        language: Of pages, until a reader chooses another.

    Raises:
        MissingExtraError: FastAPI is not installed.
    """
    try:
        from fastapi import FastAPI
    except ImportError as error:
        raise MissingExtraError("the labelling page", "label") from error

    site = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, telemetry=_NO_TELEMETRY)
    pages = Pages(desk, door, language)
    table = routes(pages)
    for path, handler in table.get.items():
        site.add_route(path, _looked(handler, pages), methods=["GET"])
    for path, handler in table.post.items():
        site.add_route(path, _decided(handler, pages), methods=["POST"])
    site.add_route("/static/{name}", _static, methods=["GET"])
    site.add_exception_handler(404, _absent)
    return Gate(site, door, _refusal(pages))


def _looked(handler: Handler, pages: Pages) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        chosen = pages.language_of(request.headers.get("cookie", ""))
        return _response(handler(Ask(dict(request.query_params), {}, chosen)))

    return endpoint


def _decided(handler: Handler, pages: Pages) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        chosen = pages.language_of(request.headers.get("cookie", ""))
        try:
            form = read_form(await request.body())
        except FormError as error:
            ask = Ask({}, {}, chosen)
            told = {"what": str(error)}
            return _response(pages.message(ask, "bad_form", 400, values=told))
        ask = Ask({}, form, chosen)
        if request.url.path != "/start" and not pages.door.is_form(form.get("csrf", "")):
            return _response(pages.message(ask, "refused", 403, lead="refused.form"))
        return _response(handler(ask))

    return endpoint


async def _static(request: Request) -> Response:
    from starlette.responses import Response

    name = request.path_params["name"]
    if name not in _STATIC:
        return Response("", 404)
    kept = request.query_params.get("v") == static_mark(name)
    headers = {"cache-control": _KEPT_WHOLE} if kept else {}
    return Response(static(name), headers=headers, media_type=_STATIC[name])


async def _absent(request: Request, error: Exception) -> Response:
    from starlette.responses import RedirectResponse, Response

    return RedirectResponse("/", 303) if request.method == "GET" else Response("", 404)


def _response(page: Page) -> Response:
    from starlette.responses import HTMLResponse, RedirectResponse

    response: Response = (
        HTMLResponse(page.body, page.status)
        if page.location is None
        else RedirectResponse(page.location, page.status)
    )
    for name, value in page.cookies:
        response.set_cookie(name, value, _KEEP_S, httponly=True, samesite="strict")
    return response


def _refusal(pages: Pages) -> Callable[[str, int, str], bytes]:
    def refuse(reason: str, status: int, cookies: str) -> bytes:
        chosen = pages.language_of(cookies)
        if reason in ("session", "elsewhere"):
            return pages.closed(chosen, again=reason == "elsewhere").body.encode()
        return render("refused", chosen, reason=f"refused.{reason}").encode()

    return refuse
