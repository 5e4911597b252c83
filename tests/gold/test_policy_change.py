from typing import Any

import pytest

from metajudge.errors import GoldError
from metajudge.gold import LabellingPolicy, load_goldset
from metajudge.gold.events import LabelEvent, SettleEvent, append_event
from metajudge.gold.policy import needs_relabelling
from metajudge.gold.policy_change import (
    changed_policy,
    next_version,
    record_policy,
    under_policy,
    waiting,
)
from tests.gold.reading import Tea

TIME = "2025-03-01T09:30:00+00:00"
POLICY = LabellingPolicy(version="1.0.0", rules=("Tea.",), support={"inference": True})
MANIFEST = """\
# made by hand
name: tea
version: "1"
languages: [en]
label_space: ternary   # three labels
labelling_policy:      # read this first
  version: 1.0.0
  rules:
    # the first rule
    - Only the context counts.
licence: CC-BY-4.0     # of the labels
provenance: written for the tests
label_source: human
# the end
"""


def rows(*slices: str | None) -> list[dict[str, Any]]:
    return [
        {"claim_id": f"c{n}", "answer_id": "a", "context_id": "x1", "claim": f"Tea {n}."}
        | {"label": "yes"}
        | ({} if kind is None else {"slice": kind})
        for n, kind in enumerate(slices)
    ]


def change(**more: Any) -> LabellingPolicy:
    wanted: dict[str, Any] = {"support": {"inference": False}, "why": "two readings", "time": TIME}
    return changed_policy(POLICY, **(wanted | more))


def fault(**more: Any) -> list[str]:
    with pytest.raises(GoldError) as caught:
        change(**more)
    return [str(problem) for problem in caught.value.problems]


# The new version.


def test_a_changed_kind_is_a_major_step() -> None:
    assert [next_version(v) for v in ("1.2.3", "0.1", "7", "1.0.0-rc1", "v2", "", "unknown")] == [
        *("2.0.0", "1.0", "8"),
        *(None, None, None, None),
    ]
    new = change()
    assert (new.version, new.support, new.rules) == ("2.0.0", {"inference": False}, ("Tea.",))
    (step,) = new.changes
    assert (step.version, step.support, step.time, step.why) == (
        "2.0.0",
        {"inference": False},
        TIME,
        "two readings",
    )


def test_only_what_changes_is_recorded() -> None:
    new = change(support={"inference": True, "arithmetic": False, "summary": True})
    assert new.changes[0].support == {"arithmetic": False, "summary": True}
    assert new.support == {"inference": True, "arithmetic": False, "summary": True}


def test_changes_are_kept_earlier_first() -> None:
    twice = changed_policy(change(), {"inference": True}, "back", version="2.5.0-b")
    assert [step.version for step in twice.changes] == ["2.0.0", "2.5.0-b"]
    assert twice.version == "2.5.0-b"


def test_faults_of_a_change_are_named_at_once() -> None:
    told = fault(support={"inference": True}, why=" ", version="1.9.0")
    assert "a new version needs a kind of support that changes" in told[0]
    assert "a change needs a reason" in told[1]
    assert "a major step from '1.0.0' (got '1.9.0'). Choose 2.0.0 or higher" in told[2]


@pytest.mark.parametrize("version", ["1.0.0", "", " ", "0.9", "1"])
def test_versions_that_cannot_follow(version: str) -> None:
    assert len(fault(version=version)) == 1


def test_a_version_that_the_policy_had_is_not_given_again() -> None:
    with pytest.raises(GoldError, match="stands for one policy"):
        changed_policy(change(version="b"), {"inference": True}, "back", version="b")


def test_a_version_without_a_number_needs_the_new_one_said() -> None:
    policy = POLICY.model_copy(update={"version": "unknown"})
    with pytest.raises(GoldError, match="Say the new one: --version"):
        changed_policy(policy, {"inference": False}, "why")
    assert changed_policy(policy, {"inference": False}, "why", version="1").version == "1"


# What waits.


def test_claims_that_wait_by_slice_and_those_without_one(tea: Tea) -> None:
    folder = tea(rows("inference", "inference", "literal", None, None), manifest=MANIFEST)
    now = load_goldset(folder)
    new = changed_policy(now.manifest.labelling_policy, {"inference": False}, "why")
    after = under_policy(folder, new)
    found = waiting(after, now)
    assert (found.by_slice, found.without_slice, found.claims, found.before) == (
        {"inference": 2},
        2,
        2,
        0,
    )
    assert waiting(now) == ({}, 0, 0)
    record_policy(folder, new)
    again = changed_policy(new, {"inference": True, "arithmetic": False}, "why")
    both = waiting(under_policy(folder, again), load_goldset(folder))
    assert (both.by_slice, both.without_slice, both.before) == ({"inference": 2}, 2, 4)


def test_labels_given_or_settled_since_do_not_wait(tea: Tea) -> None:
    folder = tea(rows("inference", "inference", "inference"), manifest=MANIFEST)
    new = changed_policy(load_goldset(folder).manifest.labelling_policy, {"inference": False}, "w")
    record_policy(folder, new)
    common: dict[str, Any] = {"annotator": "bo", "time": TIME, "policy": "2.0.0"}
    append_event(folder, LabelEvent(claim_id="c0", save_id="save-0001", label="yes", **common))
    append_event(
        folder, SettleEvent(claim_id="c1", save_id="save-0002", label="yes", why="read", **common)
    )
    gold = load_goldset(folder)
    assert list(needs_relabelling(gold)) == ["c2"]
    assert gold.corrections == ()
    assert load_goldset(folder).sha256 != load_goldset(folder, with_acts=False).sha256


# The file.


def test_all_else_of_the_file_stays(tea: Tea) -> None:
    folder = tea(rows(None), manifest=MANIFEST)
    before = load_goldset(folder).manifest
    new = changed_policy(before.labelling_policy, {"inference": False}, "too: #many", time=TIME)
    assert record_policy(folder, new) == folder / "goldset.yaml"
    text = (folder / "goldset.yaml").read_text(encoding="utf-8")
    added = """\
  support:
    inference: false
  changes:
  - version: 2.0.0
    support:
      inference: false
    time: '2025-03-01T09:30:00+00:00'
    why: 'too: #many'
"""
    assert text == MANIFEST.replace("version: 1.0.0", "version: 2.0.0").replace(
        "    - Only the context counts.\n", f"    - Only the context counts.\n{added}"
    )
    after = load_goldset(folder).manifest
    assert after == before.model_copy(update={"labelling_policy": new})
    assert [path.name for path in folder.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_byte_order_mark_and_line_ends_stay(tea: Tea, mark: str, ends: str) -> None:
    folder = tea(rows(None), manifest=MANIFEST)
    path = folder / "goldset.yaml"
    path.write_bytes((mark + MANIFEST.replace("\n", ends)).encode())
    new = changed_policy(load_goldset(folder).manifest.labelling_policy, {"summary": False}, "why")
    record_policy(folder, new)
    raw = path.read_bytes().decode()
    assert raw.startswith(mark + "# made") and (ends == "\n") == ("\r" not in raw)
    assert load_goldset(folder).manifest.labelling_policy == new


def test_a_manifest_on_one_line_is_written_anew(tea: Tea) -> None:
    flow = (
        "{name: tea, version: '1', languages: [en], labelling_policy: {version: 1.0.0}, "
        "licence: x, provenance: y, label_source: human}\n"
    )
    folder = tea(rows(None), manifest=flow)
    new = changed_policy(load_goldset(folder).manifest.labelling_policy, {"summary": False}, "why")
    record_policy(folder, new)
    assert load_goldset(folder).manifest.labelling_policy == new


def test_a_block_that_cannot_be_changed_in_place_is_left_alone(tea: Tea) -> None:
    odd = MANIFEST.replace(
        "  rules:\n    # the first rule\n    - Only the context counts.\n",
        "  rules:\n    - |+\n      Only the context counts.\n\n\n",
    )
    folder = tea(rows(None), manifest=odd)
    new = changed_policy(load_goldset(folder).manifest.labelling_policy, {"summary": False}, "why")
    with pytest.raises(GoldError, match="cannot be changed in place"):
        record_policy(folder, new)
    assert (folder / "goldset.yaml").read_text(encoding="utf-8") == odd


def test_a_change_of_somebody_else_meanwhile_is_not_overwritten(tea: Tea) -> None:
    folder = tea(rows(None), manifest=MANIFEST)
    old = load_goldset(folder).manifest.labelling_policy
    record_policy(folder, changed_policy(old, {"inference": False}, "mine"))
    before = (folder / "goldset.yaml").read_bytes()
    with pytest.raises(GoldError, match="by somebody else meanwhile"):
        record_policy(folder, changed_policy(old, {"summary": False}, "theirs"))
    assert (folder / "goldset.yaml").read_bytes() == before


def test_a_correction_in_the_log_does_not_get_into_the_file(tea: Tea) -> None:
    folder = tea(rows("literal"), manifest=MANIFEST)
    settled = SettleEvent(
        claim_id="c0", annotator="bo", time=TIME, save_id="save-0001", label="no", why="read"
    )
    append_event(folder, settled)
    gold = load_goldset(folder)
    assert gold.manifest.version == "1+c1"
    record_policy(folder, changed_policy(gold.manifest.labelling_policy, {"summary": True}, "why"))
    assert load_goldset(folder, with_acts=False).manifest.version == "1"
