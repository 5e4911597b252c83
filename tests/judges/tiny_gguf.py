"""A GGUF file of 48 kB with random weights: an encoder that llama.cpp loads and runs."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

WIDTH, INNER, POSITIONS, ALIGNED = 32, 64, 64, 32
TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
TOKENS += [f"▁{word}" for word in "the office opens at nine it 九 点 开 门".split()]
_UINT32, _INT32, _FLOAT32, _BOOL, _TEXT, _LIST = 4, 5, 6, 7, 8, 9


def save_tiny_gguf(path: Path, seed: int = 0) -> Path:
    """The file; the same for the same seed."""
    random = np.random.default_rng(seed)
    tensors = {
        name: random.normal(0.0, 0.5, shape).astype("<f4") for name, shape in _shapes().items()
    }
    fields = b"".join(_text(name) + value for name, value in _fields().items())
    told, place = b"", 0
    for name, tensor in tensors.items():
        sizes = struct.pack(f"<{tensor.ndim}Q", *tensor.shape[::-1])
        told += _text(name) + struct.pack("<I", tensor.ndim) + sizes + struct.pack("<IQ", 0, place)
        place += _padded(tensor.nbytes)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(_fields())) + fields + told
    body = b"".join(t.tobytes().ljust(_padded(t.nbytes), b"\0") for t in tensors.values())
    path.write_bytes(head.ljust(_padded(len(head)), b"\0") + body)
    return path


def _shapes() -> dict[str, tuple[int, ...]]:
    square, line = (WIDTH, WIDTH), (WIDTH,)
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (len(TOKENS), WIDTH),
        "position_embd.weight": (POSITIONS, WIDTH),
        "token_types.weight": (2, WIDTH),
    }
    for norm in ("token_embd_norm", "blk.0.attn_output_norm", "blk.0.layer_output_norm"):
        shapes |= {f"{norm}.weight": line, f"{norm}.bias": line}
    for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
        shapes |= {f"blk.0.{part}.weight": square, f"blk.0.{part}.bias": line}
    shapes |= {"blk.0.ffn_up.weight": (INNER, WIDTH), "blk.0.ffn_up.bias": (INNER,)}
    return shapes | {"blk.0.ffn_down.weight": (WIDTH, INNER), "blk.0.ffn_down.bias": line}


def _fields() -> dict[str, bytes]:
    types = [3] * 5 + [1] * (len(TOKENS) - 5)
    return {
        "general.architecture": _value(_TEXT, "bert"),
        "bert.context_length": _value(_UINT32, POSITIONS),
        "bert.embedding_length": _value(_UINT32, WIDTH),
        "bert.feed_forward_length": _value(_UINT32, INNER),
        "bert.block_count": _value(_UINT32, 1),
        "bert.attention.head_count": _value(_UINT32, 2),
        "bert.attention.layer_norm_epsilon": _value(_FLOAT32, 1e-12),
        "bert.attention.causal": _value(_BOOL, False),
        "tokenizer.ggml.model": _value(_TEXT, "bert"),
        "tokenizer.ggml.tokens": _listed(_TEXT, [_text(token) for token in TOKENS]),
        "tokenizer.ggml.token_type": _listed(_INT32, [struct.pack("<i", t) for t in types]),
        "tokenizer.ggml.token_type_count": _value(_UINT32, 2),
        "tokenizer.ggml.bos_token_id": _value(_UINT32, 2),
        "tokenizer.ggml.eos_token_id": _value(_UINT32, 3),
        "tokenizer.ggml.unknown_token_id": _value(_UINT32, 1),
        "tokenizer.ggml.seperator_token_id": _value(_UINT32, 3),
        "tokenizer.ggml.padding_token_id": _value(_UINT32, 0),
    }


def _value(kind: int, value: str | float | bool) -> bytes:
    packed = {_UINT32: "<I", _FLOAT32: "<f", _BOOL: "<?"}
    told = _text(str(value)) if kind == _TEXT else struct.pack(packed[kind], value)
    return struct.pack("<I", kind) + told


def _listed(kind: int, parts: list[bytes]) -> bytes:
    return struct.pack("<IIQ", _LIST, kind, len(parts)) + b"".join(parts)


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _padded(size: int) -> int:
    return -(-size // ALIGNED) * ALIGNED
