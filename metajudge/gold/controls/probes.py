"""Negative controls of a gold set: probes whose wrong verdicts are known without a judge."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from metajudge.gold.claim import Claim, Context, GoldLabel
from metajudge.gold.controls.additions import add_detail, state_the_known
from metajudge.gold.controls.kinds import (
    CONTEXT_KINDS,
    KINDS,
    ControlKind,
    LeftOut,
    Probe,
    Source,
    Variant,
    place_of,
)
from metajudge.gold.controls.names import swap_name
from metajudge.gold.controls.negation import add_negation
from metajudge.gold.controls.numbers import shift_number
from metajudge.gold.controls.passages import OtherContexts, evidence_of, remove_evidence
from metajudge.gold.controls.qualifiers import drop_qualifier
from metajudge.gold.goldset import GoldSet
from metajudge.gold.split import split_group

_Change = Callable[[Source], Variant | LeftOut]
_SUPPORTED = frozenset({"yes", "supported"})
_WRONG = frozenset({"yes"})


class ControlProbes(NamedTuple):
    """Probes in the order of kinds, languages and claim ids, and why others could not be made.

    Attributes:
        probes: At most `per_kind` of each kind and language.
        left_out: `<kind>.<lang>.<reason>` -> claims that were tried and have no probe of the kind.
            Where a kind has fewer than `per_kind` probes, every gold-yes claim was tried.
    """

    probes: tuple[Probe, ...]
    left_out: Counter[str]


def make_probes(
    gold: GoldSet,
    kinds: Collection[ControlKind] = KINDS,
    per_kind: int = 12,
    rng_seed: int = 0,
) -> ControlProbes:
    """Negative controls made from the gold-yes claims of a gold set.

    Each is not-yes by construction: its evidence is gone, or the claim was made to say what the
    context does not. Claims are taken in turn from all contexts; the choice depends on ids, texts
    and the seed, not on the order of rows.

    Args:
        gold: Its judged claims are used; give the dev split where the test split is sealed.
        kinds: Kinds to make.
        per_kind: Most probes of a kind in each language; 0 or more.
        rng_seed: Another seed takes other claims and texts.
    """
    judged = gold.judged()
    changes = _changes(judged)
    probes: list[Probe] = []
    left_out: Counter[str] = Counter()
    supported = [claim for claim in judged.claims if claim.label in _SUPPORTED]
    for kind in (kind for kind in KINDS if kind in kinds):
        for lang in sorted({claim.lang for claim in supported}):
            made: list[Probe] = []
            own = [claim for claim in supported if claim.lang == lang]
            for claim in _in_turn(own, kind, rng_seed):
                if len(made) >= per_kind:
                    break
                passages = judged.passages(claim)
                evidence = evidence_of(passages, claim.spans)
                source = Source(claim, passages, evidence, rng_seed, len(made))
                probe = _probe(source, kind, changes[kind])
                if isinstance(probe, Probe):
                    made.append(probe)
                else:
                    left_out[f"{kind}.{lang}.{probe.reason}"] += 1
            probes += sorted(made, key=lambda probe: probe.claim_id)
    return ControlProbes(tuple(probes), left_out)


def control_set(gold: GoldSet, probes: Iterable[Probe]) -> GoldSet:
    """The probes as a gold set, so that they are asked as its claims are.

    A claim is called `<claim_id>~<kind>`, a changed context `<context_id>~<kind>~<claim_id>`; both
    stay in the split of their source. The label `idk` (`unsupported` in a binary set) stands for
    "not yes" and is no gold label: only `Probe.wrong` says which verdicts are wrong, and `no` is as
    good as `idk`. The set is named `<name>~controls`, and its slices, spans and annotations are
    empty.

    Args:
        gold: The set that the probes were made from.
        probes: What `make_probes` gave.
    """
    label: GoldLabel = "idk" if gold.manifest.label_space == "ternary" else "unsupported"
    claims, contexts = [], {}
    for probe in probes:
        source = gold.contexts[probe.context_id]
        name = probe.control_context_id
        contexts[name] = source if probe.kind not in CONTEXT_KINDS else _changed(source, probe)
        claims.append(
            Claim(
                claim_id=probe.control_id,
                answer_id=probe.answer_id,
                context_id=name,
                claim=probe.claim,
                label=label,
                lang=probe.lang,
                question=probe.question,
                label_source="author",
            )
        )
    manifest = gold.manifest.model_copy(
        update={
            "name": f"{gold.manifest.name}~controls",
            "label_source": "author",
            "allow_empty_context": True,
        }
    )
    return replace(
        gold, manifest=manifest, claims=tuple(claims), contexts=contexts, path=None, notes=()
    )


def _changes(gold: GoldSet) -> Mapping[ControlKind, _Change]:
    return {
        "evidence_removed": remove_evidence,
        "contexts_swapped": OtherContexts(gold).swap,
        "number_shifted": shift_number,
        "entity_swapped": swap_name,
        "negation_added": add_negation,
        "qualifier_dropped": drop_qualifier,
        "plausible_addition": add_detail,
        "world_true": state_the_known,
    }


def _in_turn(claims: Iterable[Claim], kind: ControlKind, seed: int) -> Iterator[Claim]:
    """The claims, one of each context, then a second of each, in an order made by the seed."""
    by_context: dict[str, list[Claim]] = defaultdict(list)
    for claim in sorted(claims, key=lambda claim: place_of(seed, kind, claim.claim_id)):
        by_context[claim.context_id].append(claim)
    ranked = [
        (turn, place_of(seed, kind, context_id), claim.claim_id, claim)
        for context_id, rows in by_context.items()
        for turn, claim in enumerate(rows)
    ]
    for *_, claim in sorted(ranked, key=lambda row: row[:3]):
        yield claim


def _probe(source: Source, kind: ControlKind, change: _Change) -> Probe | LeftOut:
    claim = source.claim
    variant = change(source)
    if isinstance(variant, LeftOut):
        return variant
    if variant == Variant(claim.claim, source.passages):
        return LeftOut("unchanged")
    return Probe(
        claim_id=claim.claim_id,
        kind=kind,
        claim=variant.claim,
        passages=variant.passages,
        lang=claim.lang,
        question=claim.question,
        context_id=claim.context_id,
        answer_id=claim.answer_id,
        wrong=_WRONG,
        source_label=claim.label,
    )


def _changed(source: Context, probe: Probe) -> Context:
    return source.model_copy(
        update={
            "context_id": probe.control_context_id,
            "passages": probe.passages,
            "group": split_group(source),
        }
    )
