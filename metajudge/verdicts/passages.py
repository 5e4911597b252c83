"""One outcome for a claim that was judged against each passage apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from metajudge.templates.context_form import ChunkRule
from metajudge.verdicts.table import FAILURE_CODE, Codes

ABSENT_CODE = -1
"""Fills the places of claims with fewer passages than the widest one; it decides nothing."""

_YES, _NO, _IDK = 0, 1, 2
# Weakest first: the strongest code among the passages is the joined one.
_STRENGTH: dict[ChunkRule, tuple[int, ...]] = {
    "any": (_IDK, _NO, FAILURE_CODE, _YES),
    "all": (_YES, _IDK, FAILURE_CODE, _NO),
}


def joined(codes: npt.NDArray[np.integer] | Sequence[object], rule: ChunkRule) -> Codes:
    """Label codes of claims over their passages, under a stated rule.

    `any`: yes if any passage says yes, else no if any says no, else idk. `all`: yes only if every
    passage says yes, no if any says no, else idk. A failure in one passage fails the claim, except
    where the others decide it whatever that passage had said. For two passages:

    ```
    any   yes  no    idk   fail         all   yes   no   idk   fail
    yes   yes  yes   yes   yes          yes   yes   no   idk   fail
    no    yes  no    no    fail         no    no    no   no    no
    idk   yes  no    idk   fail         idk   idk   no   idk   fail
    fail  yes  fail  fail  fail         fail  fail  no   fail  fail
    ```

    The order of the passages never matters, and one passage gives its own code. A joined verdict
    has no label probabilities: passages are not independent, and no rule combines theirs.

    Args:
        codes: Shape (P, …), a passage per row: 0 yes, 1 no, 2 idk, 3 failure, and −1 where a
            claim has no such passage.
        rule: `any` or `all`.

    Returns:
        Shape (…), codes 0 to 3.

    Raises:
        ValueError: A claim has no passage at all, or a code is none of these.

    >>> joined([[0, 1, 3], [1, 2, 1]], "any").tolist()
    [0, 1, 3]
    >>> joined([[0, 1, 3], [1, 2, 1]], "all").tolist()
    [1, 1, 1]
    """
    given = np.asarray(codes)
    if given.ndim == 0 or given.shape[0] == 0:
        raise ValueError("a claim is judged against at least one passage")
    if given.size and (given.min() < ABSENT_CODE or given.max() > FAILURE_CODE):
        raise ValueError(f"label codes are {ABSENT_CODE} to {FAILURE_CODE}")
    weakest_first = np.array(_STRENGTH[rule], dtype=np.int8)
    strength = np.empty(FAILURE_CODE + 2, dtype=np.int8)
    strength[weakest_first] = np.arange(weakest_first.size, dtype=np.int8)
    strength[ABSENT_CODE] = -1  # the last place, which is where an index of -1 lands
    strongest = strength[given].max(axis=0)
    if (strongest < 0).any():
        raise ValueError("a claim is judged against at least one passage")
    return np.asarray(weakest_first[strongest], dtype=np.int8)
