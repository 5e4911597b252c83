"""Labels, names and texts of made-up sweeps, hostile ones too."""

from __future__ import annotations

CODES = ("yes", "no", "idk", "failure")
LABELS = CODES[:3]
SLICE_LABELS = {
    "literal": "yes",
    "paraphrase": "yes",
    "summary": "yes",
    "aggregation": "yes",
    "inference": "idk",
    "hedged": "yes",
    "compound": "no",
    "outside_true": "idk",
    "outside_false": "no",
    "contradiction": "no",
    "off_context": "idk",
}
HOSTILE = (
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "{{ 7*7 }} {% raw %} {0} %s ${x}",
    "\u202eesrever\u202c \u2066iso\u2069 line\u2028sep",
    "[bold red]markup[/] \x1b[31mred\x1b[0m \x07 \x9b2J",
    '=HYPERLINK("http://x.example") | `code` | @someone #1',
    "</SCRIPT ><!-- <script> --> ]]> &lt;b&gt; 'quote\" \\u003c",
)
TEMPLATE_NAMES = (
    "literal@1.0.0",
    "summary-tolerant@1.0.0",
    "strict-no-external@1.0.0",
    "contradiction-only@1.0.0",
    "evidence-first@1.0.0",
    "deepeval:faithfulness@4.3.0",
    "ragas:faithfulness@0.4.3",
    "summary-tolerant@1.0.0+letters(rotated)+reason_first",
)
EN_CLAIMS = (
    "The AMF selects an SMF and forwards the session request to it.",
    "From the first request to user-plane forwarding, several core functions work together.",
    "A hotel above the tier-1 cap of 500 a night needs the department head's approval.",
    "The free plan allows five members, unlimited projects and 5,000 API calls.",
    "Take the tablet with food; do not drive for four hours after the first dose.",
)
ZH_CLAIMS = (
    "AMF 选择 SMF，并把会话建立请求转发给它。",
    "从首次请求到用户面转发，整个过程需要多个核心网功能协同完成。",
    "超过一线城市每晚 500 元上限的住宿须经部门负责人批准。",
    "免费版支持五名成员、无限项目和每月 5000 次接口调用。",
    "随餐服用；首次用药后四小时内不要驾驶。",
)
