"""How answers are checked: the deadline, what happens to them, and how hard the judge is pushed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from metajudge.errors import InputError, Problem, short_repr

OnUnsupported = Literal["strip", "refuse", "hand_over", "report"]
OnFailure = Literal["closed", "open"]
Units = Literal["sentences", "claims"]


@dataclass(frozen=True)
class CheckSettings:
    """Settings of a `SelfCheck`; wrong ones are refused when it is made, all at once.

    Attributes:
        deadline_s: Longest time of a whole check in s, waiting, further attempts and extraction of
            claims included.
        on_unsupported: What happens to an answer whose score is under `min_score`: its unsupported
            sentences are stripped, it is refused, it is handed over, or it is shown and reported.
        on_failure: `closed`: a unit without a verdict counts as unsupported. `open`: it counts as
            supported, and the outcome is marked `unchecked` where that decides.
        min_score: Least score of an answer that passes, 0 to 1; None takes the threshold of the
            release. 1 strips every unsupported sentence.
        units: `sentences` of the answer, or `claims` that the judge lists first.
        refusal: Text to show by language, beside or in place of the usual ones.
        hand_over: Text to show by language when people take on.
        raise_on_error: Raise where a check is not complete, instead of deciding without verdicts.
        max_in_flight: Most calls under way at once in one event loop.
        max_waiting: Most calls that wait for their turn; the next ones fail as `overloaded`.
        max_units: Most units of one answer that are asked about; further ones fail as
            `too_many_units`.
        max_chars: Longest answer in characters that is taken apart; a longer one is not checked and
            fails as `too_long`, since that work waits for no deadline.
        attempts: Sendings of one call in all, while the deadline allows.
        breaker_after: Calls in a row that the judge fails before no more are sent for a while.
        breaker_rest_s: How long that is, in s; then a single call tries again.
        cache_size: Verdicts that are kept in memory; 0 for none. Failures never are.
        log: File that every check is appended to, a JSON object a line; None for none.
        store: Reply store that every reply is written to; None for none.
        api_base: Server address, with a judge given as a spec.
    """

    deadline_s: float = 5.0
    on_unsupported: OnUnsupported = "strip"
    on_failure: OnFailure = "closed"
    min_score: float | None = None
    units: Units = "sentences"
    refusal: Mapping[str, str] = field(default_factory=dict)
    hand_over: Mapping[str, str] = field(default_factory=dict)
    raise_on_error: bool = False
    max_in_flight: int = 256
    max_waiting: int = 1024
    max_units: int = 100
    max_chars: int = 100_000
    attempts: int = 2
    breaker_after: int = 5
    breaker_rest_s: float = 30.0
    cache_size: int = 4096
    log: str | Path | None = None
    store: str | Path | None = None
    api_base: str | None = None

    def __post_init__(self) -> None:
        """Refuse values that mean nothing."""
        problems = [
            Problem(
                "self-check", f"{name} is {law}", "Correct it.", field=name, got=short_repr(got)
            )
            for name, holds, law in self._rules()
            if not holds
            for got in [getattr(self, name)]
        ]
        if problems:
            raise InputError(problems)

    def _rules(self) -> Iterator[tuple[str, bool, str]]:
        for name, choices in (
            ("on_unsupported", get_args(OnUnsupported)),
            ("on_failure", get_args(OnFailure)),
            ("units", get_args(Units)),
        ):
            yield name, getattr(self, name) in choices, f"one of {', '.join(choices)}"
        for name in ("deadline_s", "breaker_rest_s"):
            yield name, _is_number(getattr(self, name), 0, 86_400), "a number of seconds above 0"
        share = self.min_score is None or self.min_score == 0 or _is_number(self.min_score, 0, 1)
        yield "min_score", share, "from 0 to 1"
        for name, least in (
            ("max_in_flight", 1),
            ("max_waiting", 0),
            ("max_units", 1),
            ("max_chars", 1),
            ("attempts", 1),
            ("breaker_after", 1),
            ("cache_size", 0),
        ):
            count = getattr(self, name)
            whole = isinstance(count, int) and not isinstance(count, bool) and count >= least
            yield name, whole, f"a whole number of at least {least}"
        for name in ("log", "store"):
            place = getattr(self, name)
            named = place is None or (isinstance(place, str | Path) and "\0" not in str(place))
            yield name, named, "the path of a file or None"
        is_address = self.api_base is None or isinstance(self.api_base, str)
        yield "api_base", is_address, "an address or None"
        for name in ("refusal", "hand_over"):
            yield name, _are_texts(getattr(self, name)), "texts by language, none of them empty"


def _is_number(value: Any, above: float, most: float) -> bool:
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return plain and above < value <= most


def _are_texts(value: Any) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(lang, str) and isinstance(text, str) and text.strip()
        for lang, text in value.items()
    )
