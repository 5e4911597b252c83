import pytest

from metajudge.errors import JudgeSpecError
from metajudge.judges.endpoint import find_endpoint, is_loopback
from metajudge.judges.options import JudgeOptions


def test_option_before_environment_before_default():
    environ = {"OPENAI_BASE_URL": "http://env:1/v1/", "OPENAI_API_KEY": "k"}
    chosen = find_endpoint("openai", JudgeOptions(api_base="http://opt:1/v1"), environ)
    assert chosen is not None and (chosen.base, chosen.own) == ("http://opt:1/v1", True)
    chosen = find_endpoint("openai", JudgeOptions(), environ)
    assert chosen is not None and (chosen.base, chosen.key) == ("http://env:1/v1", "k")
    chosen = find_endpoint("openai", JudgeOptions(), {})
    assert chosen is not None and not chosen.own
    assert find_endpoint("hosted_vllm", JudgeOptions(), {}) is None


def test_b122_keys_stay_out_of_repr_and_environment_addresses():
    secret = "zq9-abcdefghijkl"
    chosen = find_endpoint("openai", JudgeOptions(), {"OPENAI_API_KEY": secret})
    assert secret not in repr(chosen)
    with pytest.raises(JudgeSpecError) as caught:
        find_endpoint("openai", JudgeOptions(), {"OPENAI_API_BASE": f"http://u:{secret}@h/v1"})
    assert secret not in str(caught.value) and "OPENAI_API_BASE" in str(caught.value)


def test_b61_loopback_has_no_proxy_others_have_the_environments(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "inner.example")
    for base, proxied in [
        ("http://127.0.0.1:8000/v1", False),
        ("http://localhost:8000/v1", False),
        ("http://[::1]:8000/v1", False),
        ("https://inner.example/v1", False),
        ("https://outer.example/v1", True),
    ]:
        chosen = find_endpoint("openai", JudgeOptions(api_base=base), {})
        assert chosen is not None and (chosen.proxy is not None) is proxied, base


def test_names_that_only_look_like_loopback():
    assert is_loopback("http://judge.localhost/v1")
    assert not is_loopback("http://localhost.example.org/v1")
