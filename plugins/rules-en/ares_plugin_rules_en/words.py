"""The small words of English."""

from __future__ import annotations

from ares_core import Words

DOCUMENT = (
    "text|string|file|data|document|code|script|snippet|list|numbers|values|page|url|link|log|logs|sentence|paragraph"
)
WORDS = Words(
    greetings=("hi|hey|hello|ok|okay",),
    openers=(
        "please|pls|plz|kindly|to|now|so|first|then|next|finally|afterwards|and|also|quickly|again",
        "[a] quick (one|question)|help me|what (do|would|will) (you|we|i) get (when|if) (you|we|i)",
        "(can|could|would|will) you [please]",
        "i (need|want|'d like|would like) [you] [to know]|i'd like [you] [to know]",
        "(tell|give|show|find|get|fetch) [me]|(let|help) me [know]",
        "what [is|are|was|would|does|do|will]|what's|whats|take|how (much|many) (is|are|does)|why don't (you|we)",
        "calculate|compute|evaluate|solve|determine|(work|figure) out|(result|value|answer) (of|to)",
        "i wonder|do you know|i have a question|be|would be",
    ),
    closers=(
        "please|pls|plz|thanks|thank you|thx|for me|now|right now|today|first|next|again|exactly|in total|come to|make|give",
        "equal [to]|equals|is|be|is equal to|is what|=|= ?",
    ),
    ignored=("the", "just"),
    separators=(",|and|, and|&|as well as|with",),
    joiners=("[,] [and] then|[,] [and] (after that|afterwards|finally|next|also)|[,] followed by|[,] and|,|, plus",),
    references=(
        "it|that|this|its|them|[the] (result|answer|output|outcome|value|hash|digest|sum|total)",
        "(this|that|its) (result|answer|output|value|hash|sum|text|content|contents)|text|content|contents",
    ),
    contents=("it|that|this|[it|this|that|its|the] (text|content|contents)",),
    plurals=(
        "[the] (results|answers|outputs|two|two results|values|hashes|sums)|both [results|of them|values]|them [both|all]|all of them",
    ),
    pointers=(
        f"(this|that|these|those|my|our|your|his|her|their|following|given|attached) [json|pdf|csv|python|log] ({DOCUMENT})",
        f"the [json|pdf|csv|python|log|following|given|attached] ({DOCUMENT})",
        "(this|that|these|the|my|a|an|some) (json|pdf|csv|python|log)|a [json|pdf|csv|log] (file|document|string|text)",
        "something|anything|everything|someone|me|us|you|him|her|myself|yourself|himself|herself|ourselves|themselves",
    ),
    negations=(
        "(do|does|did|should|must|would|could|can|need|is|are|was) not|not|never|without|no need to|cannot",
        "don't|dont|doesn't|didn't|shouldn't|mustn't|wouldn't|can't|won't|avoid|stop|refrain|rather than|instead of",
        "except|excluding|unless",
    ),
    mentions=(
        "how (would|do|does|can|could|should|did) (i|you|we|one|people|he|she|they)|how to|explain|describe|define",
        "said|says|say|wrote|writes|claims|claimed|asked|mentioned|what does|(meaning|definition|history|example) of",
        "(write|implement) [me] [a|an] (function|program|script|class|method|essay|poem|story)|in python|in javascript",
        "why (is|are|does|do|did|was)|imagine|suppose|assume|pretend",
    ),
    bounds=tuple(
        "and or then in on at using with without from by for because if when how why what who which where is are was "
        "were be been has have had that this these those my your our their his her its it but so not don't never as "
        "into to of after before will would can could should do does did i you we they every each all any some both "
        "than about until while also a an vs versus".split()
    ),
)
