"""Judge specs: the strings by which users name a judge."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from metajudge.errors import JudgeSpecError, ModelFileError, Problem
from metajudge.judges.endpoint import OPENAI_STYLE, address_unknown, find_endpoint
from metajudge.judges.judge import Judge
from metajudge.judges.model_place import model_place
from metajudge.judges.models import MODELS
from metajudge.judges.options import JudgeOptions

FORMS: tuple[str, ...] = (
    "local:<model name or .gguf path>",
    "openai/<model>",
    "hosted_vllm/<model>",
    "<provider>/<model> (any litellm string)",
    "litellm:<litellm string>",
    "recorded:<folder or .jsonl.gz>",
    "baseline:ngram",
    "baseline:nli:<hub name or folder>",
    "scripted:<file.yaml>",
)
"""The forms a judge spec can have."""

_NLI = "baseline:nli"
_FILE_JUDGES = ("local", "recorded", "scripted", _NLI)
_FOLDER_JUDGES = ("recorded", _NLI)
_PROVIDER_FILE = "provider_endpoints_support_backup.json"


def open_judge(spec: str, options: JudgeOptions | None = None) -> Judge:
    """The judge that a spec names.

    Opening reads no key, opens no connection and loads no model: that waits for the first call,
    so that stored replies replay without any of them.

    Args:
        spec: One of `FORMS`. `openai/` and other OpenAI-style providers go by the direct
            transport, everything else by litellm; `litellm:` forces litellm. Both transports have
            the same identity and thus share stored replies.
        options: Address, decoding and deadline; None for the defaults.

    Raises:
        JudgeSpecError: The spec names no judge; near names are suggested.

    >>> open_judge("local:qwen2.5-coder-1.5b").identity["backend"]
    'xllamacpp'
    """
    options = options or JudgeOptions()
    head, colon, rest = spec.partition(":")
    opener = _OPENERS.get(head) if colon else None
    if opener is not None:
        if not rest:
            raise _no_judge(spec, f"{head}: needs something after the colon", ())
        return opener(spec, rest, options)
    return _open_chat(spec, spec, options, force_litellm=False)


def spec_beside(spec: str, folder: Path) -> str:
    """The spec with its file looked for in a folder; as it is where there is none of that name.

    >>> spec_beside("openai/gpt-4o", Path("here"))
    'openai/gpt-4o'
    """
    head, place = _parted(spec)
    path, mark, rest = place.partition("#")
    beside = folder / path
    return f"{head}:{beside}{mark}{rest}" if _is_place(head, beside) else spec


def spec_from(spec: str, folder: Path) -> str:
    """The spec with its file as it is seen from a folder: `spec_beside` finds it there again.

    Slashes whatever the system, and no absolute path; as it is where it names no file that exists.

    >>> spec_from("local:qwen2.5-coder-1.5b", Path("here"))
    'local:qwen2.5-coder-1.5b'
    """
    head, place = _parted(spec)
    path, mark, rest = place.partition("#")
    if not _is_place(head, Path(path)):
        return spec
    return f"{head}:{Path(os.path.relpath(path, folder)).as_posix()}{mark}{rest}"


def _parted(spec: str) -> tuple[str, str]:
    """What kind of judge a spec names, and where it is."""
    if spec.startswith(f"{_NLI}:"):
        return _NLI, spec[len(_NLI) + 1 :]
    head, _, place = spec.partition(":")
    return head, place


def _is_place(head: str, path: Path) -> bool:
    """Whether judges of this kind can be in what is at a path."""
    return head in _FILE_JUDGES and (path.is_file() or (head in _FOLDER_JUDGES and path.is_dir()))


def _open_local(spec: str, place: str, options: JudgeOptions) -> Judge:
    from metajudge.judges.local import LocalJudge, find_model

    model = find_model(place)
    if model is None:
        law = f"local: takes a known model ({', '.join(MODELS)}) or the path of a .gguf file"
        raise _no_judge(spec, law, [f"local:{name}" for name in MODELS])
    try:
        return LocalJudge(spec, model, options)
    except ModelFileError as error:
        raise _wrong_path(spec, error) from None


def _wrong_path(spec: str, error: ModelFileError) -> JudgeSpecError:
    return JudgeSpecError(Problem("judge spec", str(error), "Correct the path.", got=repr(spec)))


def _open_recorded(spec: str, place: str, options: JudgeOptions) -> Judge:
    from metajudge.judges.recorded import open_recorded

    return open_recorded(spec, place)


def _open_scripted(spec: str, place: str, options: JudgeOptions) -> Judge:
    from metajudge.judges.scripted import open_scripted

    return open_scripted(spec, place)


def _open_baseline(spec: str, place: str, options: JudgeOptions) -> Judge:
    from metajudge.judges.baseline import NgramBaseline

    if place == "ngram":
        return NgramBaseline(spec)
    kind, _, model = place.partition(":")
    found = None if kind != "nli" else model_place(model)
    if found is None:
        law = "the baselines are: baseline:ngram, baseline:nli:<hub name or folder>"
        raise _no_judge(spec, law, ["baseline:ngram"])
    from metajudge.judges.baseline_nli import NliBaseline

    try:
        return NliBaseline(spec, found, options)
    except ModelFileError as error:
        raise _wrong_path(spec, error) from None


def _open_litellm(spec: str, model: str, options: JudgeOptions) -> Judge:
    return _open_chat(spec, model, options, force_litellm=True)


_OPENERS: dict[str, Callable[[str, str, JudgeOptions], Judge]] = {
    "local": _open_local,
    "recorded": _open_recorded,
    "scripted": _open_scripted,
    "baseline": _open_baseline,
    "litellm": _open_litellm,
}


def _open_chat(spec: str, model: str, options: JudgeOptions, *, force_litellm: bool) -> Judge:
    model = _with_provider(spec, model)
    provider, _, name = model.partition("/")
    if not name:
        raise _no_judge(spec, f"{provider}/ needs the name of a model", ())
    endpoint = None
    if provider in OPENAI_STYLE:
        endpoint = find_endpoint(provider, options)
        if endpoint is None:
            raise address_unknown(spec, provider)
        if not force_litellm:
            from metajudge.judges.direct import DirectJudge

            return DirectJudge(spec, model, endpoint, options)
    from metajudge.judges.chat import ChatJudge

    return ChatJudge(spec, model, endpoint, options)


def _with_provider(spec: str, model: str) -> str:
    """The model string with a provider in front; a bare name gets the one litellm finds for it."""
    provider, slash, _ = model.partition("/")
    if slash and provider in OPENAI_STYLE.keys() | litellm_providers():
        return model
    from metajudge.judges.chat import provider_of

    found = None if not model or ":" in provider else provider_of(model)
    if found is None:
        law = "a judge spec has one of the forms: " + "; ".join(FORMS)
        raise _no_judge(spec, law, _near_specs(spec, model))
    return model if slash and model.startswith(f"{found}/") else f"{found}/{model}"


def _near_specs(spec: str, model: str) -> list[str]:
    """What a mistyped spec may have meant: another provider, or another word before the colon."""
    provider, _, name = model.partition("/")
    near = [f"{known}/{name}" for known in _near_providers(provider)]
    rest = spec.partition(":")[2]
    return near or [f"{head}:{rest}" for head in _OPENERS]


def _near_providers(provider: str) -> list[str]:
    known = OPENAI_STYLE.keys() | litellm_providers()
    return difflib.get_close_matches(provider, sorted(known), n=3, cutoff=0.6)


def _no_judge(spec: str, law: str, candidates: Iterable[str]) -> JudgeSpecError:
    near = difflib.get_close_matches(spec, list(candidates), n=1, cutoff=0.6)
    mend = f"Did you mean {near[0]}?" if near else "Correct the spec."
    return JudgeSpecError(Problem("judge spec", law, mend, got=repr(spec)))


@lru_cache(maxsize=1)
def litellm_providers() -> frozenset[str]:
    """Provider names of the installed litellm, read from its own list without importing it."""
    found = find_spec("litellm")
    if found is None or found.origin is None:
        return frozenset()
    path = Path(found.origin).parent / _PROVIDER_FILE
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))["providers"]
    except (OSError, ValueError, KeyError):
        return frozenset()
    return frozenset(listed)
