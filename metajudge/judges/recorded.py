"""`recorded:`: answers from recording files, and nothing else."""

from __future__ import annotations

import gzip
import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import fields as dataclass_fields
from pathlib import Path
from typing import Any

from metajudge.errors import JudgeSpecError, Problem, short_repr
from metajudge.judges.judge import JudgeCallError, Request, Scalar, call_key
from metajudge.judges.local import BACKEND as LOCAL_BACKEND
from metajudge.verdicts.verdict import Reply, TokenLogprob

_Identity = tuple[tuple[str, Scalar], ...]
_REPLY_FIELDS = frozenset(field.name for field in dataclass_fields(Reply))


class RecordedJudge:
    """A judge whose replies lie in a file: it takes the identity of the judge that was recorded.

    `recorded:<folder or file>` holds one judge's replies; where a recording holds several,
    `recorded:<path>#<part of the identity>` chooses, e.g. `#gpt-4o-mini`.
    """

    max_in_flight: int | None = None

    def __init__(
        self, spec: str, identity: Mapping[str, Scalar], replies: Mapping[str, Reply]
    ) -> None:
        self.spec = spec
        self.identity = identity
        self._replies = replies
        # Requests to a local model ask for one token; its recording answers only these.
        self.label_in_one_token = identity.get("backend") == LOCAL_BACKEND
        self.gives_logprobs = any(reply.first_token for reply in replies.values())

    def __repr__(self) -> str:
        return f"RecordedJudge({self.spec!r}, {len(self._replies)} replies)"

    async def ask(self, request: Request) -> Reply:
        """The recorded reply; raises `JudgeCallError('missing')` where there is none."""
        reply = self._replies.get(call_key(self.identity, request))
        if reply is None:
            raise JudgeCallError("missing", f"{self.spec} holds no reply to this request")
        return reply

    async def close(self) -> None:
        """Nothing to give back."""


def open_recorded(spec: str, place: str) -> RecordedJudge:
    """The judge of a recording.

    Raises:
        JudgeSpecError: No recording there, a broken one, or several judges in it and none chosen.
    """
    name, _, wanted = place.partition("#")
    path = Path(name).expanduser()
    files = sorted(path.glob("*.jsonl.gz")) if path.is_dir() else [path]
    found: dict[_Identity, dict[str, Reply]] = {}
    for file in files:
        _read_into(found, file)
    chosen = [identity for identity in found if wanted in _described(identity)]
    if len(chosen) == 1:
        return RecordedJudge(spec, dict(chosen[0]), found[chosen[0]])
    if not found:
        law, mend = "the recording holds no reply", "Give a folder with *.jsonl.gz files."
    else:
        listed = "; ".join(_described(identity) for identity in found)
        law = f"a recorded spec names one judge; this recording has: {listed}"
        mend = f"Write recorded:{name}#<part of the one you mean>."
    raise JudgeSpecError(Problem("judge spec", law, mend, got=repr(spec)))


def _read_into(found: dict[_Identity, dict[str, Reply]], path: Path) -> None:
    """Add a file's replies: a header line with the judges, then one reply a line."""
    number = 0
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            identities: list[_Identity] = []
            for number, line in enumerate(lines, 1):
                fields = json.loads(line)
                if number == 1:
                    identities = [_identity(judge) for judge in fields["judges"]]
                else:
                    replies = found.setdefault(identities[fields["judge"]], {})
                    replies[fields["key"]] = _reply(fields["reply"])
    except (OSError, EOFError, zlib.error) as error:
        law = f"a recording is a readable, whole gzip file ({error})"
        problem = Problem(str(path), law, "Get the file again.", line=number or None)
        raise JudgeSpecError(problem) from None
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        law = "a recording has a header with its judges, then key, judge and reply on each line"
        mend = "Get the file again, or record it anew."
        problem = Problem(str(path), law, mend, line=number, got=short_repr(str(error)))
        raise JudgeSpecError(problem) from None


def _identity(judge: Mapping[str, Scalar]) -> _Identity:
    return tuple(sorted(judge.items()))


def _reply(written: Mapping[str, Any]) -> Reply:
    """A stored reply; fields of later versions are passed over."""
    known = {name: value for name, value in written.items() if name in _REPLY_FIELDS}
    candidates = known.get("first_token") or ()
    known["first_token"] = tuple(
        TokenLogprob(token, -math.inf if logprob is None else logprob)
        for token, logprob in candidates
    )
    return Reply(**known)


def _described(identity: _Identity) -> str:
    return ", ".join(f"{name} {value}" for name, value in identity if value is not None)
