import pytest

from metajudge.errors import JudgeSpecError
from metajudge.judges.judge import JudgeCallError, Request
from metajudge.judges.spec import open_judge
from metajudge.templates.message import Message


def opened(tmp_path, text):
    path = tmp_path / "judge.yaml"
    path.write_text(text, encoding="utf-8")
    return open_judge(f"scripted:{path}")


async def said(judge, prompt="claim"):
    try:
        return (await judge.ask(Request((Message("user", prompt),), 1))).text
    except JudgeCallError as error:
        return error.kind


@pytest.mark.parametrize(
    ("at_end", "heard"),
    [
        ("cycle", ["yes", "no", "yes"]),
        ("repeat_last", ["yes", "no", "no"]),
        ("fail", ["yes", "no", "missing"]),
    ],
)
async def test_replies_in_turn_and_what_follows(tmp_path, at_end, heard):
    judge = opened(tmp_path, f"name: t\nreplies: [yes, no]\nat_end: {at_end}\n")
    assert [await said(judge) for _ in range(3)] == heard


async def test_rules_come_first_and_the_long_form_has_everything(tmp_path):
    judge = opened(
        tmp_path,
        """
name: t
rules:
  - {match: 九点|nine, reply: {text: "是", finish_reason: length, first_token: {no: -2, yes: -0.1}}}
replies:
  - {error: rate_limit, retry_after: 0.5}
  - off
""",
    )
    reply = await judge.ask(Request((Message("user", "九点开门"),), 1))
    assert (reply.text, reply.finish_reason) == ("是", "length")
    assert reply.first_token == (("yes", -0.1), ("no", -2.0))
    with pytest.raises(JudgeCallError) as caught:
        await judge.ask(Request((Message("user", "x"),), 1))
    assert (caught.value.kind, caught.value.retry_after) == ("rate_limit", 0.5)
    assert await said(judge) == "off"
    assert judge.gives_logprobs


def test_a_script_is_marked_and_changes_its_identity(tmp_path):
    first = opened(tmp_path, "name: t\nreplies: [yes]\n").identity
    second = opened(tmp_path, "name: t\nreplies: [no]\n").identity
    assert first["backend"] == "scripted" and str(first["model"]).startswith("scripted:")
    assert first != second


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("name: t\n", "rules, replies"),
        ("name: t\nreplies: [yes]\nat_end: stop\n", "at_end"),
        ("name: t\nreply: yes\n", "reply"),
        ("name: t\nreplies: [{error: boom}]\n", "error"),
        ("name: t\nrules: [{match: '(', reply: yes}]\n", "match"),
        ("name: [\n", "YAML"),
        ("", "judge.yaml"),
    ],
)
def test_faults_of_a_script_are_named(tmp_path, text, field):
    with pytest.raises(JudgeSpecError, match=field):
        opened(tmp_path, text)


def test_a_missing_script(tmp_path):
    with pytest.raises(JudgeSpecError, match=r"none\.yaml"):
        open_judge(f"scripted:{tmp_path / 'none.yaml'}")
