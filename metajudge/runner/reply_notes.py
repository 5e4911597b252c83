"""What the replies of a judge have in common that a reader of figures has to know.

It follows from the replies alone, so that a run that went on, or that asked nothing, says the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from metajudge.counted import counted
from metajudge.judges.judge import Judge
from metajudge.judges.settings import NOT_SENT
from metajudge.runner.call import Call
from metajudge.runner.reply_json import is_lasting
from metajudge.verdicts.verdict import Reply

_LEFT_OUT = ("temperature", "seed")


def reply_notes(judge: Judge, calls: Iterable[Call], replies: Mapping[str, Reply]) -> list[str]:
    """Notes on how a judge answered, one line each; [] where there is nothing to say.

    Settings that its server refused, label probabilities that did not come, several models behind
    one name, prices that are not known. Each is told with the number of replies.

    Args:
        judge: Who answered.
        calls: What was asked; each key once.
        replies: By key; calls without a lasting reply are passed over.
    """
    found = [
        (call.request, replies[call.key])
        for call in calls
        if call.key in replies and is_lasting(replies[call.key])
    ]
    whole = counted(len(found), "replies")
    notes = []
    for name in _LEFT_OUT:
        without = sum(reply.settings.get(name) == NOT_SENT for _, reply in found)
        if without:
            notes.append(f"{without:,} of {whole} came without {name}, which the server refuses")
    asked = [reply for request, reply in found if request.top_logprobs and reply.text.strip()]
    without = sum(not reply.first_token for reply in asked)
    if without:
        of = counted(len(asked), "replies")
        notes.append(f"{without:,} of {of} came without the label probabilities asked for")
    models = Counter(reply.model for _, reply in found if reply.model)
    if len(models) > 1:
        told = ", ".join(f"{name} ({n:,})" for name, n in sorted(models.items()))
        notes.append(f"the replies come from more than one model: {told}")
    unpriced = sum(reply.cost_usd is None for _, reply in found)
    if unpriced and "own_endpoint" in judge.identity:
        notes.append(f"{unpriced:,} of {whole} came without a known price; costs leave them out")
    return notes
