import pytest

from metajudge.judges.chat import import_litellm
from metajudge.judges.completion import Tokens
from metajudge.judges.prices import cost_of, price_of, price_per_token, price_table


def test_b60_cached_tokens_are_charged_once_at_their_own_rate():
    price = price_per_token("openai/gpt-4o-mini")
    assert price is not None and price.cached < price.prompt
    by_hand = 40 * price.prompt + 60 * price.cached + 5 * price.completion
    assert cost_of("openai/gpt-4o-mini", Tokens(100, 60, 5)) == pytest.approx(by_hand, rel=1e-12)


def test_b59_unknown_models_and_counts_have_no_price():
    assert price_of("openai/my-local", 10, 1) is None
    assert cost_of("openai/gpt-4o-mini", Tokens(None, None, 1)) is None
    assert price_of("baseline:ngram", 10, 1) == 0.0


def test_a_name_of_another_provider_gives_no_price():
    assert price_of("groq/gpt-4o-mini", 10, 1) is None


def test_prices_equal_litellms_own_sum():
    litellm = import_litellm(None)
    models = [
        "openai/gpt-4o-mini",
        "openai/gpt-4.1",
        "anthropic/claude-3-haiku-20240307",
        "gemini/gemini-2.5-pro",
        "deepseek/deepseek-chat",
        "gpt-4o",
    ]
    known = [m for m in models if price_of(m, 1, 1) is not None]
    assert len(known) >= 4
    for model in known:
        for prompt in (1000, 300_000):
            ours = price_of(model, prompt, 50)
            theirs = sum(
                litellm.cost_per_token(model=model, prompt_tokens=prompt, completion_tokens=50)
            )
            assert ours == pytest.approx(theirs, rel=1e-9), (model, prompt)


def test_the_table_is_read_from_the_installed_litellm():
    assert len(price_table()) > 1000
