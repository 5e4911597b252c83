"""What one annotator sat down to do: which claims, in which order, and what may be shown."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from metajudge.errors import InputError, Problem, short_repr
from metajudge.gold.rows import read_jsonl

Work = Literal["label", "double", "adjudicate", "review"]
Only = Literal["pending", "relabel", "all"]
LONGEST_NAME = 80


class ShownVerdict(NamedTuple):
    """A judge's verdict of one claim, as people are shown it.

    Attributes:
        claim_id: The claim.
        trial: Which judge and template gave it.
        label: `yes`, `no` or `idk`.
        reason: The judge's words; None where it gave none.
    """

    claim_id: str
    trial: str
    label: str
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Sitting:
    """What one annotator sat down to do.

    Attributes:
        annotator: Who labels.
        work: `label`: claims without a label; `double`: claims that others labelled, unseen;
            `adjudicate`: claims that people disagree on; `review`: verdicts that differ from gold.
        only: Of `label`: claims that wait, those to be labelled again alone, or all not labelled
            by this annotator.
        share: Of `double`: the share of claims, 0 to 1, the same claims for every annotator.
        order: Claims in the order of a queue file; None for file order.
        verdicts: By claim. Of `review`: those that may differ from gold; otherwise those that are
            shown once a label is saved.
        source: The sweep that the verdicts are of: experiment name and hash of its results.
        left_out: Of `review`: verdicts of sealed test claims, which are not shown.
    """

    annotator: str
    work: Work = "label"
    only: Only = "pending"
    share: float = 1.0
    order: tuple[str, ...] | None = None
    verdicts: Mapping[str, tuple[ShownVerdict, ...]] = field(default_factory=dict)
    source: str = ""
    left_out: int = 0

    @property
    def is_blind(self) -> bool:
        """Whether labels and notes of others stay out of every page."""
        return self.work in ("label", "double")


def in_share(claim_id: str, share: float) -> bool:
    """Whether a claim is among the share that is labelled twice; the same for everybody.

    >>> [in_share(f"c{number}", 0.5) for number in range(6)].count(True)
    3
    """
    digest = hashlib.sha256(f"double/{claim_id}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") / 2**64 < share


def name_problems(name: str) -> list[Problem]:
    """What keeps a name from being an annotator's.

    >>> str(name_problems(" ")[0])
    "command line: --as: an annotator has a name (got ' '). Say who labels: --as NAME."
    """
    where, field_name = "command line", "--as"
    got = short_repr(name)
    if not name.strip():
        mend = "Say who labels: --as NAME."
        return [Problem(where, "an annotator has a name", mend, field=field_name, got=got)]
    problems = []
    if len(name) > LONGEST_NAME:
        law = f"a name has at most {LONGEST_NAME} characters"
        problems.append(Problem(where, law, "Take a shorter one.", field=field_name, got=got))
    if name != name.strip() or any(unicodedata.category(char)[0] == "C" for char in name):
        law = "a name has no blanks around it, and no control or formatting characters"
        problems.append(Problem(where, law, "Type it again.", field=field_name, got=ascii(name)))
    return problems


def read_order(path: Path, known: Mapping[str, object]) -> tuple[str, ...]:
    """Claims in the order of a queue file, as `metajudge gold next` writes it.

    Why a claim was chosen is not read: it may tell what judges said.

    Args:
        path: One JSON object with `claim_id` a line.
        known: The claims of the set, by id.

    Raises:
        InputError: The file cannot be read, or names claims that are not there; all faults.
    """
    read = read_jsonl(path)
    problems = list(read.problems)
    order: dict[str, None] = {}
    for row in read.rows:
        claim_id = row.fields.get("claim_id")
        if isinstance(claim_id, str) and claim_id in known:
            order[claim_id] = None
            continue
        law, mend = "each line names a claim of the set", "Make the queue again: gold next."
        got = short_repr(claim_id)
        problems.append(Problem(row.where, law, mend, line=row.line, field="claim_id", got=got))
    if not read.rows and not read.problems:
        problems.append(Problem(str(path), "there is no claim in it", "Make it with gold next."))
    if problems:
        raise InputError(problems)
    return tuple(order)
