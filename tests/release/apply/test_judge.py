"""A release applied with the pinned judge, with another, and with one that changed."""

from __future__ import annotations

from tests.release.applied import OPENS, answer, write_judge


def test_another_judge_is_said_loudly_and_nothing_is_corrected(release, store, tmp_path):
    other = write_judge(tmp_path, name="other")
    judged = release.judge([answer("a", OPENS)], store=store, judge=other)
    assert not judged.summary.judge.is_pinned
    assert judged.summary.judge.spec == other
    assert any("model: pinned 'scripted:script'" in d for d in judged.summary.judge.differences)
    assert judged.rows[0]["judge_is_pinned"] is False
    assert judged.rows[0]["judge"] == other
    assert "not the one" in (judged.summary.support.corrected.reason or "")


def test_a_judge_that_changed_under_its_name_is_found(release, store, tmp_path):
    write_judge(tmp_path, [("Claim: new", "no")])
    judged = release.judge([answer("a", OPENS)], store=store)
    assert not judged.summary.judge.is_pinned
    assert [d.split(":")[0] for d in judged.summary.judge.differences] == ["backend_version"]


def test_naming_the_pinned_judge_changes_nothing(release, store, tmp_path):
    spec = f"scripted:{tmp_path / 'script.yaml'}"
    assert release.judge([answer("a", OPENS)], store=store, judge=spec).summary.judge.is_pinned
