"""A request as the planner reads it: plain characters, and tokens that know where they stand."""

from __future__ import annotations

import re
from functools import cache
from json import JSONDecoder

from msgspec import Struct

from ares_core.planner.chinese import Idioms

PLAIN_IDIOMS = Idioms()
LONGEST = 10_000
"""Characters of a request that are read; a longer one gets no plan."""

_PLAIN = {0x3000: " ", 0x2212: "-", 0x2013: "-", 0x2014: "-", 0xD7: "*", 0xF7: "/", 0x2044: "/", 0x2215: "/"}
_PLAIN |= {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x300C: '"', 0x300D: '"', 0x300E: '"', 0x300F: '"'}
_PLAIN |= {0x301C: "~", 0xFF5E: "~", 0x22EF: "…", 0x25CB: "〇"}
_PLAIN |= {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5E)}
_TRADITIONAL = (
    "計计數数從从個个這这碼码編编轉转換换寫写總总階阶開开於于幾几萬万億亿兩两檔档網网頁页讀读執执運运標标準准變变對对為为應应與与"
    "請请幫帮給给嗎吗餘余積积質质組组選选機机驗验證证鏈链雜杂湊凑長长間间無无雙双單单點点負负連连續续減减貳贰參叁陸陆佔占術术"
    "後后結结關关鍵键詞词語语單单詢询尋寻載载圖图檢检測测錯错誤误誌志訊讯號号隨随亂乱產产絡络際际學学習习麼么還还過过條条"
    "嚴严測测實实現现專专門门題题問问時时話话説说說说認认識识調调讓让設设試试誰谁課课壓压縮缩彙汇會会員员國国園园圓圆場场"
    "聲声處处備备復复夠够夢梦頭头奪夺屬属層层歲岁島岛幣币庫库廣广張张強强當当錄录態态憶忆戶户擴扩撥拨據据敗败數数斷断顯显書书"
    "極极構构權权歸归殘残濟济滿满漢汉潔洁熱热獎奖獨独獲获環环畫画異异療疗發发盡尽盤盘確确禮礼種种稱称穩稳競竞筆笔節节簡简糧粮"
    "純纯紙纸級级細细終终統统絕绝經经緊紧線线練练緣缘繪绘羅罗職职聯联腦脑腳脚舉举舊旧艙舱莊庄葉叶藝艺藥药蘇苏虛虚裏里製制複复"
    "見见規规視视覺觉觀观計计訂订記记訪访評评詳详該该誠诚請请諸诸論论謝谢譯译議议護护讚赞負负財财貨货責责費费資资賣卖賬账趨趋車车軟软"
    "輕轻輸输輯辑辦办農农遠远適适遲迟遷迁選选遺遗邊边郵邮鄰邻醫医釋释針针鐘钟鋼钢錢钱鏡镜閉闭閒闲閱阅陣阵陳陈陽阳隊队隱隐險险雖虽難难"
    "雲云電电靈灵靜静順顺須须預预領领頻频額额願愿類类風风飛飞館馆駐驻驚惊體体魚鱼點点黨党齊齐齡龄"
)
_PLAIN |= {ord(old): new for old, new in zip(_TRADITIONAL[::2], _TRADITIONAL[1::2], strict=True)}

_FILES = (
    "pdf|txt|md|csv|tsv|json|jsonl|xml|html?|ya?ml|toml|ini|log|py|js|ts|go|rs|sh|sql|docx?|xlsx?|pptx?|png|jpe?g|"
    "gif|zip|gz|exe|msi|dmg|iso|apk|jar|deb|rpm|tar|tgz|bz2|7z|rar|mp[34]|wav|mkv|avi|mov|svg|webp|ipynb|css|cpp|java|"
    "jsx|tsx|conf|cfg|sqlite|db|epub|rtf|bak"
)
_TOKEN = rf"""
    (?P<space>\s+)
  | (?P<url>(?:https?|ftp)://[^\s"'<>，。；、（）一-鿿]{{0,2000}}[^\s"'<>，。；、（）一-鿿,.;:!?)\]])
  | (?P<email>[a-z0-9._%+\-]{{1,64}}@[a-z0-9.\-]{{1,250}}\.[a-z]{{2,24}})
  | (?P<quoted>```(?:[^`]|`(?!``))*```|"[^"]*"|`[^`]*`|《[^》]*》
      |(?<![a-z0-9])'(?:[^']|(?<=[a-z0-9])'(?=[a-z0-9]))*'(?![a-z0-9]))
  | (?P<date>(?:1[5-9]|2[01])\d\d(?P<sep>[-/.])(?:0?[1-9]|1[0-2])(?P=sep)(?:0?[1-9]|[12]\d|3[01])
        (?:[t\ ]\d{{1,2}}:\d{{2}}(?::\d{{2}}(?:\.\d{{1,9}})?)?(?:\ ?(?:z(?![a-z])|[+-]\d{{2}}:?\d{{2}}))?)?(?![\d/\-])
      | [0-3]?\d(?P<mark>[-/])[0-3]?\d(?P=mark)(?:1[5-9]|2[01])\d\d(?!\d)
      | \d{{2,4}}年\d{{1,2}}月(?:\d{{1,2}}[日号])?|\d{{1,2}}月\d{{1,2}}[日号])
  | (?P<time>\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?!\d))
  | (?P<version>v?\d{{1,9}}(?:\.\d{{1,9}}){{2,9}}(?![\d.])|v\d+\.\d+)
  | (?P<phone>(?<![\d)+*/^\-])(?:\+?(?:\d{{1,3}}[-\ ])?\(?\d{{3}}\)?[-\ ]\d{{3}}-\d{{4}}(?!\d)
      | 1[3-9]\d[-\ ]\d{{4}}[-\ ]\d{{4}}(?!\d)|\+\d{{1,3}}(?:\ \d{{2,4}}){{2,5}}))
  | (?P<uuid>[0-9a-f]{{8}}-(?:[0-9a-f]{{4}}-){{3}}[0-9a-f]{{12}}(?![0-9a-z]))
  | (?P<hex>(?=\d{{0,128}}[a-f])[0-9a-f]{{16,128}}(?![0-9a-z]))
  | (?P<path>(?:[a-z]:\\|~/|\.{{1,2}}/|(?<![\w)])/(?=[a-z_.]))[a-z0-9_./\\~\-]{{1,300}}
      | [a-z0-9_\-][a-z0-9_./\\\-]{{0,200}}\.(?:{_FILES})(?![a-z0-9_/\\]))
  | (?P<figure>\d+(?:\.\d+)?(?:e[+-]?\d{{1,4}}(?![0-9a-z]))?|(?<![\w.])\.\d+)
  | (?P<times>(?<=\d)x(?=\d))
  | (?P<han>[一-鿿〇])
  | (?P<word>(?:sin|cos|tan|ln|lg|sqrt)(?=\d)
      |(?:(?![一-鿿〇])[^\W\d_])(?:(?![一-鿿〇])\w)*(?:'(?:s|t|re|ll|ve|d|m)(?![a-z0-9]))?)
  | (?P<symbol>\*\*|\.\.\.?|//|==?|[^\w\s]|[\w])
    """
_JSON = JSONDecoder()
_FENCE = re.compile(r"^\w*\s*\n")
_FOREIGN = re.compile(r"[^\x00-\x7f]")
JSON_ATTEMPTS = 8


class Token(Struct, frozen=True, gc=False):
    """A word, figure, sign, or something opaque such as a date; ``glued`` if no space stands before it."""

    text: str
    kind: str
    start: int
    end: int
    glued: bool


class Text(Struct, frozen=True):
    """A request: as it was given, in plain characters of the same length, and in tokens."""

    original: str
    plain: str
    tokens: tuple[Token, ...]

    def said(self, first: int, last: int) -> str:
        """Give the words of tokens ``first`` up to ``last`` as they were written."""
        return self.original[self.tokens[first].start : self.tokens[last - 1].end] if last > first else ""


def read(request: str, words: Idioms = PLAIN_IDIOMS) -> Text:
    """Cut a request into tokens; ``words`` are the words of languages without spaces that stay whole.

    >>> [token.text for token in read("把Hello改成１２").tokens]
    ['把', 'hello', '改', '成', '12']
    """
    plain = plainly(request)
    return Text(request, plain, tuple(tokens(plain, words)))


def plainly(text: str) -> str:
    """Make full-width, traditional and capital characters plain, one for one, so that places stay the same.

    >>> plainly("１２３，ＡＢ與c")
    '123,ab与c'
    """
    plain = text.translate(_PLAIN)
    lower = plain.lower()
    if len(lower) == len(plain):
        return lower
    return "".join(small if len(small := char.lower()) == 1 else char for char in plain)


@cache
def _cutter(is_ascii: bool) -> re.Pattern[str]:
    """Compile what cuts a text; sets of Chinese characters take long, and in ASCII one that can't come will do."""
    return re.compile(_FOREIGN.sub("ÿ", _TOKEN) if is_ascii else _TOKEN, re.VERBOSE)


def tokens(plain: str, words: Idioms = PLAIN_IDIOMS) -> list[Token]:
    """Cut plain text into tokens; what is quoted, dated or addressed stays whole."""
    found: list[Token] = []
    position, end, attempts = 0, 0, 0
    cutter = _cutter(plain.isascii())
    while position < len(plain):
        if plain[position] in "{[" and attempts < JSON_ATTEMPTS:
            attempts += 1
            if after := _json_end(plain, position):
                found.append(Token(plain[position:after], "json", position, after, position == end))
                position = end = after
                continue
        match = cutter.match(plain, position)
        kind = match.lastgroup if match else None
        after = match.end() if match else position + 1
        if kind == "han" and (whole := words.end(plain, position)):
            kind, after = "word", whole
        if kind != "space":
            found.append(Token(plain[position:after], kind or "symbol", position, after, position == end))
            end = after
        position = after
    return found


def _json_end(plain: str, start: int) -> int:
    """Where the JSON document that starts here ends; 0 if none does, or if it is a mere list of numbers."""
    if plain[start] == "[" and plain[start + 1 : start + 20].lstrip()[:1] not in ("{", '"', "["):
        return 0
    try:
        return _JSON.raw_decode(plain, start)[1]
    except (RecursionError, ValueError):
        return 0


def unquoted(text: str) -> str:
    """Take the quotation marks off a quoted token as it was written; of a fenced block also the name of its language.

    >>> unquoted("'a b'"), unquoted("```python\\nprint(1)\\n```")
    ('a b', 'print(1)')
    """
    return text[1:-1] if text[:3] != "```" else _FENCE.sub("", text[3:-3]).strip()
