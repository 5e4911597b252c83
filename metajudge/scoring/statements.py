"""Answers that state nothing: refusals and apologies have no claims to judge."""

from __future__ import annotations

import re
import unicodedata

_SENTENCES = re.compile(r"[.!?。！？\n;；]+")
# Every word of a repeated group can be read in one way only: with two ways, a text of 20 such words
# has a million readings, and a phrase that fails at its end would try them all.
_NOUN_EN = (
    r"(?:answer|question|information|help|assistance|request|topic|query|document|context|material)"
    r"s?"
)
_WORD_EN = (
    rf"{_NOUN_EN}|it|this|that|you|here|now|with|to|on|about|from|in|for|based|provided|given|"
    r"available|enough|sufficient|the|your|of|do|so|respond|say|tell|determine|assist|provide|give|"
    r"find|any|relevant|at|moment|but|and|cannot|sure|unfortunately|however|because|as|i|am|have|"
    r"not|don't|can't|me|please"
)
_ABOUT_EN = rf"(?:an? {_NOUN_EN}|{_WORD_EN})"
_ELSEWHERE_EN = (
    rf"(?:{_WORD_EN}|an?|supports?|services?|customer|technical|human|care|desk|team|staff|office|"
    r"department|hr|administrator|manager|colleague|person|someone|somebody|else|expert|"
    r"specialist|professional|doctor|lawyer|us|our|another|other|differently|different|again|later|"
    r"more|further|additional|specific|directly|official|website|source|details?|clarification|"
    r"rephrasing|asking|or)"
)
_ELSEWHERE_ZH = (
    r"在线|人工|客服|客户|服务|热线|工作人员|管理员|负责人|人员|相关|有关|部门|专业|人士|医生|律师|专家|我们|官方|"
    r"网站|更多|更|具体|详细|其他|别的|信息|内容|资料|材料|上下文|背景|细节|一个|一种|个|种|问题|方式|说法|提问|"
    r"描述|表述|重新|试试|一下|的|或|和|并|再|后|以便|获取|确认|帮助"
)
_MORE_EN = (
    r"if (?:you|there) (?:have|are|need)(?: any| more| further| other| additional)*"
    r"(?: questions?| information| details?| help)"
)
_PATTERNS_EN = (
    r"(?:so |very |really |i'm |i am |we're |we are )*(?:sorry|afraid)(?: about (?:this|that))?",
    r"(?:my |our )?apologies|i apologi[sz]e(?: for (?:that|this|the inconvenience))?",
    r"(?:i|we)? ?(?:do not|don't|dont) (?:know|have (?:(?:that|the|this|any|enough|sufficient) )?"
    rf"(?:relevant )?(?:information|context|answer|data))(?: {_ABOUT_EN})*",
    r"unfortunately|regrettably",
    rf"(?:based on|according to|from|given)(?: {_ABOUT_EN})+",
    r"idk|no idea|not sure|unknown|n/?a|no answer|none|no comment",
    r"(?:i'm|i am|we're|we are) (?:not sure|unsure|unable to|not able to)"
    rf"(?: {_ABOUT_EN})*",
    r"(?:i|we|it)? ?(?:cannot|can't|can not|could not|couldn't|won't|will not) "
    r"(?:be )?(?:answer(?:ed)?|help|assist|say|tell|respond|comply|determine|provide|do|find)"
    rf"(?: {_ABOUT_EN})*",
    rf"there is (?:not enough|no|insufficient) (?:relevant )?information(?: {_ABOUT_EN})*",
    r"(?:hi|hello|hey|thanks|thank you)(?: there)?(?: for (?:your|the) (?:question|message))?",
    r"(?:how|what) (?:else )?can i help(?: you)?(?: with)?(?: today)?",
    r"is there anything else (?:i can help (?:you )?with|you(?:'d| would) like to know)",
    rf"(?:please )?(?:contact|ask|consult|rephrase|try|provide)(?: {_ELSEWHERE_EN})*",
    r"(?:i )?hope (?:this|that|it) (?:helps|is helpful|answers your question)",
    r"(?:please )?(?:feel free to|do not hesitate to|don't hesitate to) "
    rf"(?:ask|reach out|contact me|contact us|let me know)(?: {_MORE_EN})?",
    rf"(?:please let me know |let me know )?{_MORE_EN}",
    r"you(?:'re| are) welcome|(?:good|great) question",
)
_FROM_ZH = (
    r"(?:根据|从|依据|基于)(?:目前|现有|当前|已有|所?提供|给出|给定|上述|以上|这些)*的?"
    r"(?:材料|资料|信息|上下文|文档|内容|知识库)(?:来看|中|里)?"
)
_PATTERNS_ZH = (
    r"(?:非常|很|十分|真的)?(?:抱歉|对不起|不好意思)(?:了)?",
    r"(?:这个|该|此|您的|你的)?(?:问题)?(?:我|我们)?(?:也|暂时|目前|还|现在)*(?:不知道|不清楚|不了解|不太清楚|不确定)(?:答案|该问题|这个问题)?",
    r"(?:但|不过)?(?:根据|从|依据|基于)?(?:目前|现有|当前|已有|所?提供|给出|给定|上述|以上|这些)*(?:的)?"
    r"(?:材料|资料|信息|上下文|文档|内容|知识库)?(?:中|里)?(?:我|我们)?(?:暂时|目前|还)*"
    rf"(?:无法|不能|没办法|难以)(?:{_FROM_ZH})?(?:准确|直接|为您|为你|给您|给你|对此|就此)*"
    r"(?:回答|作答|确定|判断|提供|帮助|协助|答复|给出|得出)"
    r"(?:您|你|该|此|这个|这一|上述|相关|有关|的|任何|准确|更多|具体|问题|答案|请求|信息|帮助|方面|回答|结论)*",
    r"(?:目前|现有|当前|已有|所?提供)*(?:的)?(?:没有|缺少|缺乏|未找到|找不到|没有找到)(?:足够|充分|相关|有关|的)*(?:信息|资料|材料|内容|答案)",
    _FROM_ZH,
    r"(?:您好|你好|谢谢|感谢您的提问|感谢提问)",
    r"(?:还有什么|有什么|请问有什么)?(?:我)?(?:可以|能)帮(?:助|到)?(?:您|你)(?:的|吗)*",
    rf"请(?:您)?(?:直接|另行|再|进一步)*(?:咨询|联系|提供|换|重新)(?:{_ELSEWHERE_ZH})*",
    r"希望(?:(?:这|以上|上述)(?:些|个)?(?:信息|内容|回答|解答)?)?(?:能够|能|可以)?"
    r"(?:对(?:您|你)有(?:所)?帮助|帮(?:助)?到(?:您|你))",
    r"如果?(?:您|你)?(?:还)?有(?:任何|其他|其它|更多|别的)*(?:问题|疑问|需要)",
    r"(?:请|欢迎|可以|也可以)*随时(?:向我|与我|和我|跟我)?(?:提问|询问|告诉我|联系我们?|联系)",
)
_FREE = re.compile("|".join(f"(?:{pattern})" for pattern in (*_PATTERNS_EN, *_PATTERNS_ZH)))
_JOINT = re.compile(r",|，|、|：|:|\bbut\b|\bhowever\b|但是|但|不过|因此|所以")
_MOST_CHARACTERS = 600


def is_statement_free(text: str) -> bool:
    """Whether an answer states nothing that could be judged: a refusal, an apology, `I don't know`.

    A local rule for English and Chinese, so that it costs no call and gives the same every time:
    every part between stops and commas must be a whole phrase that states nothing. One part with a
    statement makes the answer one with statements. White space alone states nothing either.

    >>> [is_statement_free(t) for t in ("IDK", "Sorry, I cannot help.", "抱歉，我无法回答。")]
    [True, True, True]
    >>> is_statement_free("I don't know who approved it. The cap is 500 a night.")
    False
    """
    if len(text) > _MOST_CHARACTERS:
        return False
    normal = unicodedata.normalize("NFKC", text).replace("’", "'").casefold()
    for sentence in _SENTENCES.split(normal):
        for part in _JOINT.split(sentence):
            phrase = " ".join(part.split()).strip(" '\"*_()…-")
            if phrase and _FREE.fullmatch(phrase) is None:
                return False
    return True
