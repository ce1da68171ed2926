"""Gradio Blocks of the app, and Gradio's routes that are closed or redirected.

In the Blocks, missing trailing values get defaults, and an invalid request gets a one-sentence error.

Routes that Gradio adds and this app does not use are closed: ``/process_recording`` would keep the files it receives,
``/upload_progress`` every name it is asked about; ``/file=`` would fetch any URL for any client, and the rest would
only add attack surface. Responses contain their pictures, so no file is served by path. A failed login leads back to
the page, where the visitor can try again: Gradio shows an error page if a visitor cancels the login at the Hub, or if
the Hub is not available.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import gradio as gr
import httpx
from fastapi import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse

from demo.gradio_parts.gradio_internals import BlockFunction, get_function_description, replace, route_utils
from demo.i18n import asked_language, text

if TYPE_CHECKING:
    from gradio.data_classes import APIInfo, PredictBody
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_UNKNOWN = (
    "There is no such function here; please open the page again, or see /gradio_api/info for what programs may call."
)
_NOT_ITS_VALUES = "These are not the values of this function; /gradio_api/info lists them."
_BY_NAME = "/call/v2/"  # the route where programs pass values by name
_log = logging.getLogger(__name__)
_gradio_finds = route_utils.get_fn


class _UnreadableError(Exception):
    """Values of a request that cannot be read."""


class AppBlocks(gr.Blocks):
    """Blocks that report an invalid request to its sender and never print its content.

    Gradio's own Blocks print the content, including photographs, and do not tell the sender.
    """

    def validate_inputs(self, block_fn: BlockFunction, inputs: list[Any]) -> None:
        """Fill in missing values, as Gradio's clients do before they send."""
        inputs += [getattr(block, "value", None) for block in block_fn.inputs[len(inputs) :]]

    async def preprocess_data(self, block_fn: BlockFunction, inputs: list[Any], *others: Any) -> list[Any]:  # noqa: ANN401  as Gradio has them
        """Read the values of a request; any exception here is the sender's fault."""
        try:
            read: list[Any] = await super().preprocess_data(block_fn, inputs, *others)
        except Exception as error:  # noqa: BLE001 - Gradio and Pydantic raise many kinds
            _log.warning("A request could not be read: %s.", type(error).__name__)  # its text is from the sender
            raise _UnreadableError from None
        return read

    def get_api_info(self, all_endpoints: bool = False, page: str | None = None) -> APIInfo:  # noqa: FBT001, FBT002  Gradio's signature
        """Describe each endpoint by the type and docstring of its values rather than by the class of a component."""
        info = super().get_api_info(all_endpoints, page)
        functions = {f"/{function.api_name}": function for function in self.fns.values()}
        for name, endpoint in info["named_endpoints"].items():
            told, answered = _told(functions[name].fn)
            blocks = (block for block in functions[name].inputs if not block.skip_api)
            for parameter, block in zip(endpoint["parameters"], blocks, strict=True):
                parameter["component"] = getattr(block, "told_as", parameter["component"])
                parameter["python_type"]["description"] = told.get(parameter["parameter_name"], "")
            for returned in endpoint["returns"]:
                returned["component"] = "JSON object"
                returned["python_type"] = {"type": "dict", "description": answered}
        return info

    async def process_api(  # type: ignore[override]  # Gradio's callers name every argument
        self,
        *,
        block_fn: BlockFunction,
        inputs: list[Any],
        **options: Any,  # noqa: ANN401  as Gradio has them
    ) -> dict[str, Any]:
        """Answer a request; log an unexpected error once and report it in one sentence."""
        given = list(inputs)  # before defaults are added, since they name a language too
        try:
            answer: dict[str, Any] = await super().process_api(block_fn, inputs, **options)
        except gr.Error as error:
            error.print_exception = False
            raise
        except _UnreadableError:
            raise _refusal("faults.unreadable", given, options) from None
        except Exception:  # noqa: BLE001 - logged with its traceback, which a visitor never meets
            _log.exception("a request failed")
            raise _refusal("faults.ours", given, options) from None
        return answer


@cache
def _told(answer: Callable[..., object]) -> tuple[dict[str, str], str]:
    """Return what the docstring of an endpoint says about each parameter and about the return value."""
    _, parameters, answered = get_function_description(answer)
    return parameters, " ".join(answered)


def install_function_lookup() -> None:
    """Make every page answer a request for an unknown function with 404."""
    replace("function lookup", _found)


async def refuse_call(request: Request, error: Exception) -> JSONResponse:
    """Answer a call with an unknown function or value; raise any other error again."""
    unreadable = isinstance(error, httpx.InvalidURL)
    if not unreadable and _BY_NAME not in request.url.path:
        raise error
    unknown = unreadable or isinstance(error, KeyError)
    return JSONResponse({"detail": _UNKNOWN if unknown else _NOT_ITS_VALUES}, 404 if unknown else 422)


REFUSED_CALL_HANDLERS = dict.fromkeys(
    (httpx.InvalidURL, KeyError, TypeError), refuse_call
)  # handlers for Gradio's errors


def _found(blocks: gr.Blocks, api_name: str | None, body: PredictBody) -> BlockFunction:
    """Return the requested function; raise 404 if it does not exist or runs only in the browser."""
    try:
        found = _gradio_finds(blocks, api_name, body)
    except (KeyError, route_utils.FnIndexInferError):
        raise HTTPException(404, _UNKNOWN) from None
    if found.fn is None:
        raise HTTPException(404, _UNKNOWN)
    return found


def _refusal(key: str, inputs: list[Any], options: dict[str, Any]) -> gr.Error:
    """Return an error with the text of ``key`` in the language of the request."""
    headers = getattr(options.get("request"), "headers", {})
    language = asked_language(*inputs, accepted=headers.get("accept-language", ""))
    return gr.Error(text(key).by_language[language], print_exception=False)


GRADIO_PREFIX = "/gradio_api/"
CLOSED = (
    "component_server",
    "deep_link",
    "file/",
    "file=",
    "process_recording",
    "proxy=",
    "stream/",
    "undo-vibe-edit",
    "upload_progress",
    "vibe-",
)
_SIZED_ICON = "/pwa_icon/"  # Gradio would scale the SVG as if it were a photograph
OF_MODELS = ("call/", "api/")  # routes by which programs call models; the page itself uses others


class CloseRoutes:
    """ASGI middleware that answers 404 for :data:`CLOSED` routes, for those in ``more``, and for sized icons."""

    def __init__(self, app: ASGIApp, more: tuple[str, ...] = ()) -> None:
        self._app = app
        self._closed = (*CLOSED, *more)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass all other requests on."""
        path = str(scope.get("path", ""))
        _, _, route = path.partition(GRADIO_PREFIX)
        closed = scope["type"] == "http" and (route.startswith(self._closed) or path.startswith(_SIZED_ICON))
        await (PlainTextResponse("Not found", 404) if closed else self._app)(scope, receive, send)


_LOGIN_PREFIX = "/login/"
LOGIN_PAGE = "/#annotate"


class LoginErrorRedirect:
    """ASGI middleware that redirects to :data:`LOGIN_PAGE` if a login ends in an error; the cause is logged."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass all other requests on."""
        if scope["type"] != "http" or not str(scope.get("path", "")).startswith(_LOGIN_PREFIX):
            await self._app(scope, receive, send)
            return
        begun = False

        async def note(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, note)
        except Exception as error:
            if begun:
                raise
            _log.warning("A login failed: %r", error)
            await RedirectResponse(LOGIN_PAGE, 303)(scope, receive, send)
