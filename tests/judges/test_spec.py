import subprocess
import sys

import pytest

from metajudge.errors import JudgeSpecError
from metajudge.judges.chat import ChatJudge
from metajudge.judges.direct import DirectJudge
from metajudge.judges.local import LocalJudge
from metajudge.judges.options import JudgeOptions
from metajudge.judges.spec import open_judge

BASE = JudgeOptions(api_base="http://127.0.0.1:1/v1")


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("openai/gpt-4o-mini", DirectJudge),
        ("openai/org/model:tag", DirectJudge),
        ("hosted_vllm/Qwen/Qwen2.5-7B", DirectJudge),
        ("litellm:openai/gpt-4o-mini", ChatJudge),
        ("anthropic/claude-3-haiku", ChatJudge),
        ("ollama_chat/qwen2.5:1.5b", ChatJudge),
        ("local:qwen2.5-coder-1.5b", LocalJudge),
    ],
)
def test_specs_open_the_judge_they_name(spec, kind):
    judge = open_judge(spec, BASE)
    assert isinstance(judge, kind)
    assert judge.spec == spec
    assert not any("127.0.0.1" in str(value) for value in judge.identity.values())


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("opnai/gpt-4o", "openai/gpt-4o"),
        ("locl:qwen2.5-coder-1.5b", "local:qwen2.5-coder-1.5b"),
        ("local:qwen2.5-coder-1.5", "local:qwen2.5-coder-1.5b"),
        ("baseline:ngrams", "baseline:ngram"),
        ("scriptd:judge.yaml", "scripted:judge.yaml"),
    ],
)
def test_mistyped_specs_get_a_suggestion(spec, hint):
    with pytest.raises(JudgeSpecError, match=f"Did you mean {hint}"):
        open_judge(spec)


@pytest.mark.parametrize(
    "spec",
    [
        "",
        " ",
        ":",
        "openai/",
        "local:",
        "systemone:http://h#m",
        "baseline:nli:a/b/c",
        "no-such-model",
        "x/y",
    ],
)
def test_what_names_no_judge_is_refused(spec):
    with pytest.raises(JudgeSpecError):
        open_judge(spec)


def test_a_server_of_ones_own_needs_an_address(monkeypatch):
    monkeypatch.delenv("HOSTED_VLLM_API_BASE", raising=False)
    with pytest.raises(JudgeSpecError, match="HOSTED_VLLM_API_BASE"):
        open_judge("hosted_vllm/m")


def test_an_own_server_is_another_judge_than_the_providers(monkeypatch):
    monkeypatch.delenv("OPENAI_API_BASE", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert open_judge("openai/m").identity != open_judge("openai/m", BASE).identity


def test_b62_opening_loads_no_heavy_library():
    code = (
        "import sys; from metajudge.judges import open_judge, price_of\n"
        "for s in ('openai/gpt-4o','anthropic/claude-3-haiku','local:qwen2.5-coder-1.5b'):\n"
        "    open_judge(s)\n"
        "price_of('openai/gpt-4o', 1, 1)\n"
        "heavy = {'litellm','aiohttp','xllamacpp','huggingface_hub','tqdm','httpx'}\n"
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
