"""The app's Blocks: a call without its last values gets their defaults, and a wrong one is refused in one sentence."""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING, Any

import gradio as gr
import httpx
from fastapi import HTTPException
from gradio import route_utils, utils
from gradio.block_function import BlockFunction
from starlette.responses import JSONResponse

from demo.i18n import asked_language, text

if TYPE_CHECKING:
    from collections.abc import Callable

    from gradio.data_classes import APIInfo, PredictBody
    from starlette.requests import Request

_UNKNOWN = (
    "There is no such function here; please open the page again, or see /gradio_api/info for what programs may call."
)
_NOT_ITS_VALUES = "These are not the values of this function; /gradio_api/info lists them."
_BY_NAME = "/call/v2/"  # where programs name values
_log = logging.getLogger(__name__)
_gradio_finds = route_utils.get_fn


class _UnreadableError(Exception):
    """Values of a question that cannot be read."""


class AppBlocks(gr.Blocks):
    """Gradio's own prints what was sent where that is wrong, photographs too, and does not say so to the sender."""

    def validate_inputs(self, block_fn: BlockFunction, inputs: list[Any]) -> None:
        """Fill in what was left out, as Gradio's clients do before they send."""
        inputs += [getattr(block, "value", None) for block in block_fn.inputs[len(inputs) :]]

    async def preprocess_data(self, block_fn: BlockFunction, inputs: list[Any], *others: Any) -> list[Any]:  # noqa: ANN401  as Gradio has them
        """Read what was sent; whatever fails here is the sender's."""
        try:
            read: list[Any] = await super().preprocess_data(block_fn, inputs, *others)
        except Exception as error:  # noqa: BLE001 - Gradio and Pydantic raise many kinds
            _log.warning("A question could not be read: %s.", type(error).__name__)  # its text is the sender's
            raise _UnreadableError from None
        return read

    def get_api_info(self, all_endpoints: bool = False, page: str | None = None) -> APIInfo:  # noqa: FBT001, FBT002  Gradio's signature
        """Tell what each endpoint takes, by what it is and what its docstring says, not by the class of a component."""
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
        """Answer a question; what goes wrong is logged once and told in one sentence."""
        given = list(inputs)  # before defaults are added, which name a language too
        try:
            answer: dict[str, Any] = await super().process_api(block_fn, inputs, **options)
        except gr.Error as error:
            error.print_exception = False
            raise
        except _UnreadableError:
            raise _refusal("faults.unreadable", given, options) from None
        except Exception:  # noqa: BLE001 - logged with its traceback, which a visitor never meets
            _log.exception("a question was not answered")
            raise _refusal("faults.ours", given, options) from None
        return answer


@cache
def _told(answer: Callable[..., object]) -> tuple[dict[str, str], str]:
    """Return what the docstring of an endpoint says of each parameter, and of what it answers."""
    _, parameters, answered = utils.get_function_description(answer)
    return parameters, " ".join(answered)


def install() -> None:
    """Make every page answer a question for a function that it has not with 404."""
    route_utils.get_fn = _found


async def refuse_call(request: Request, error: Exception) -> JSONResponse:
    """Answer a call that names no function, or no value of it; raise what is another error."""
    unreadable = isinstance(error, httpx.InvalidURL)
    if not unreadable and _BY_NAME not in request.url.path:
        raise error
    unknown = unreadable or isinstance(error, KeyError)
    return JSONResponse({"detail": _UNKNOWN if unknown else _NOT_ITS_VALUES}, 404 if unknown else 422)


REFUSALS = dict.fromkeys((httpx.InvalidURL, KeyError, TypeError), refuse_call)  # the handlers of what Gradio raises


def _found(blocks: gr.Blocks, api_name: str | None, body: PredictBody) -> BlockFunction:
    """Return the requested function; raise 404 if it does not exist or runs in a browser alone."""
    try:
        found = _gradio_finds(blocks, api_name, body)
    except (KeyError, route_utils.FnIndexInferError):
        raise HTTPException(404, _UNKNOWN) from None
    if found.fn is None:
        raise HTTPException(404, _UNKNOWN)
    return found


def _refusal(key: str, inputs: list[Any], options: dict[str, Any]) -> gr.Error:
    """Return a sentence in the language of the question."""
    headers = getattr(options.get("request"), "headers", {})
    language = asked_language(*inputs, accepted=headers.get("accept-language", ""))
    return gr.Error(text(key).by_language[language], print_exception=False)
