from datetime import datetime, timezone

import pytest

from metajudge.judges.failures import SettingRefused, call_error, retry_after


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "bad_request"),
        (401, "access"),
        (402, "access"),
        (403, "access"),
        (404, "bad_request"),
        (408, "timeout"),
        (413, "context_too_long"),
        (422, "bad_request"),
        (429, "rate_limit"),
        (500, "server"),
        (503, "server"),
        (504, "timeout"),
        (529, "server"),
        (301, "not_a_judge"),
    ],
)
def test_kinds_by_status(status, kind):
    assert call_error(status, b'{"error": {"message": "no"}}', {}).kind == kind


@pytest.mark.parametrize(
    "body",
    [
        '{"error": {"message": "blocked", "code": "content_filter"}}',
        '{"error": {"message": "The response was filtered by the content management policy"}}',
        '{"error": {"message": "x", "code": "data_inspection_failed"}}',
        '{"error": {"message": "x", "code": "ResponsibleAIPolicyViolation"}}',
    ],
)
@pytest.mark.parametrize("status", [400, 403])
def test_b48_content_filter_is_its_own_kind(body, status):
    assert call_error(status, body, {}).kind == "content_filter"


@pytest.mark.parametrize(
    "body",
    [
        '{"error": {"message": "x", "code": "context_length_exceeded"}}',
        '{"error": {"message": "request exceeds the available context size", "code": 400}}',
        '{"object": "error", "message": "maximum context length is 4096 tokens", "code": 400}',
        '{"detail": "prompt is too long"}',
    ],
)
def test_context_too_long(body):
    assert call_error(400, body, {}).kind == "context_too_long"


def test_used_up_quota_is_no_rate_limit():
    body = '{"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}'
    assert call_error(429, body, {"retry-after": "1"}).kind == "access"


def test_b58_a_refused_setting_is_named_by_parameter_or_text():
    sent = ("max_tokens", "temperature")
    by_param = '{"error": {"message": "Unsupported value", "param": "temperature"}}'
    by_text = '{"error": {"message": "max_tokens is not supported, use max_completion_tokens"}}'
    refused = call_error(400, by_param, {}, sent)
    assert isinstance(refused, SettingRefused) and refused.setting == "temperature"
    refused = call_error(400, by_text, {}, sent)
    assert isinstance(refused, SettingRefused) and refused.setting == "max_tokens"
    assert not isinstance(call_error(400, by_param, {}, ("seed",)), SettingRefused)


def test_web_pages_are_retried_only_as_server_errors():
    assert call_error(502, "<html>bad gateway</html>", {}).kind == "server"
    assert call_error(404, "<html>not here</html>", {}).kind == "not_a_judge"
    assert call_error(403, "<html>blocked</html>", {}).kind == "access"


@pytest.mark.parametrize("body", [b"", b"null", b"[1]", b'"text"', b'{"error": null}', b"\xff\xfe"])
def test_odd_bodies_never_raise(body):
    assert call_error(500, body, {}).kind == "server"


def test_retry_after_as_date_and_nonsense():
    now = datetime(2026, 1, 1, 12, 0, tzinfo=timezone.utc)
    assert retry_after({"Retry-After": "Thu, 01 Jan 2026 12:00:30 GMT"}, now) == 30
    assert retry_after({"Retry-After": "Thu, 01 Jan 2026 11:00:30 GMT"}, now) == 0
    assert retry_after({"RETRY-AFTER": "-3"}) == 0
    for nonsense in ("soon", "nan", "inf", ""):
        assert retry_after({"retry-after": nonsense}) is None
