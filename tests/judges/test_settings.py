import pytest

from metajudge.judges.failures import SettingRefused
from metajudge.judges.judge import JudgeCallError, Request
from metajudge.judges.options import JudgeOptions
from metajudge.judges.settings import DecodingSettings
from metajudge.templates.message import Message
from metajudge.verdicts.verdict import Reply

REQUEST = Request((Message("user", "hi"),), 4, 50, repeat=2)


def test_b103_temperature_is_sent_unless_told_not_to():
    assert DecodingSettings(JudgeOptions()).fields(REQUEST)["temperature"] == 0.0
    assert "temperature" not in DecodingSettings(JudgeOptions(temperature=None)).fields(REQUEST)


def test_repeats_are_draws_also_with_a_seed():
    fields = DecodingSettings(JudgeOptions(seed=7)).fields(REQUEST)
    assert fields["seed"] == 9
    assert fields["top_logprobs"] == 20


class Server:
    def __init__(self, *refused):
        self.refused, self.bodies = refused, []

    async def __call__(self, fields):
        self.bodies.append(fields)
        for name in self.refused:
            if name in fields:
                raise SettingRefused(name, f"{name} is not supported")
        return Reply("yes")


async def test_b58_each_refused_setting_is_left_out_and_recorded():
    settings = DecodingSettings(JudgeOptions(seed=1))
    server = Server("temperature", "seed", "logprobs", "max_tokens")
    reply = await settings.ask(REQUEST, server)
    assert reply.settings == {"temperature": "not sent", "seed": "not sent", "top_logprobs": 0}
    assert server.bodies[-1] == {"max_completion_tokens": 4}
    await settings.ask(REQUEST, server)
    assert len(server.bodies) == 6


async def test_a_refusal_that_leaving_out_does_not_cure_is_not_remembered():
    settings = DecodingSettings(JudgeOptions())

    async def grumpy(fields):
        raise SettingRefused("temperature", "the claim is about temperature")

    with pytest.raises(JudgeCallError):
        await settings.ask(REQUEST, grumpy)
    assert settings.fields(REQUEST, settings._refused)["temperature"] == 0.0
