"""Dates, spans of time and time zones in Chinese words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from ares_core import Extraction, read_number

ZONES = {
    "Asia/Shanghai": "北京 上海 中国 广州 深圳 国内", "Asia/Hong_Kong": "香港", "Asia/Taipei": "台北 台湾",
    "Asia/Tokyo": "东京 日本 大阪 京都", "Asia/Seoul": "首尔 韩国 汉城", "Asia/Singapore": "新加坡",
    "Asia/Bangkok": "曼谷 泰国 河内", "Asia/Kolkata": "印度 新德里 孟买", "Asia/Dubai": "迪拜",
    "Europe/London": "伦敦 英国", "Europe/Paris": "巴黎 法国", "Europe/Berlin": "柏林 德国 慕尼黑 法兰克福",
    "Europe/Madrid": "马德里 巴塞罗那", "Europe/Rome": "罗马 意大利 米兰", "Europe/Moscow": "莫斯科",
    "Europe/Zurich": "苏黎世 瑞士 日内瓦", "Europe/Amsterdam": "阿姆斯特丹 荷兰", "Europe/Vienna": "维也纳 奥地利",
    "Europe/Istanbul": "伊斯坦布尔", "Europe/Stockholm": "斯德哥尔摩 瑞典", "Africa/Cairo": "开罗 埃及",
    "America/New_York": "纽约 华盛顿 波士顿 迈阿密 美东", "America/Chicago": "芝加哥 休斯顿",
    "America/Los_Angeles": "洛杉矶 旧金山 西雅图 硅谷 美西", "America/Toronto": "多伦多", "America/Vancouver": "温哥华",
    "America/Sao_Paulo": "圣保罗", "Australia/Sydney": "悉尼", "Australia/Melbourne": "墨尔本",
    "Pacific/Auckland": "奥克兰 新西兰", "Pacific/Honolulu": "夏威夷 檀香山",
    "UTC": "世界标准时间 协调世界时 格林威治 格林尼治 utc gmt",
}  # fmt: skip
NAMED = {name: zone for zone, names in ZONES.items() for name in names.split()}
UNITS = {
    "年": "Y", "个月": "M", "月": "M", "周": "W", "个星期": "W", "星期": "W", "个礼拜": "W", "天": "D", "日": "D",
    "个小时": "h", "小时": "h", "个钟头": "h", "分钟": "m", "分": "m", "秒钟": "s", "秒": "s",
}  # fmt: skip
LONGEST_NAME = max(map(len, NAMED))
MOST_PARTS = 6
_IANA = r"[a-z_]{2,30}/[a-z_]{2,30}\b|[+-]\d{2}:\d{2}(?!\d)"
_DAY = r"(\d{4})年(\d{1,2})月(\d{1,2})[日号](?: ?(?:(\d{1,2}):(\d{2})|(\d{1,2})[点时](?:(\d{1,2})分|整|(半))?))?"
_FIGURES = r"\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2})?(?: ?(?:z|[+-]\d{2}:?\d{2}))?)?(?![\d-])"
_NOW = {"今天": "today", "今日": "today", "现在": "now"}
_UNIT = re.compile("|".join(sorted(UNITS, key=len, reverse=True)))
_HALF = re.compile("半(?:个)?(年|月|天|小时|钟头)")
_compiled = cache(re.compile)
_HALVES = {"年": ("M", 6), "月": ("D", 15), "天": ("h", 12), "小时": ("m", 30), "钟头": ("m", 30)}


def zone(text: str, start: int) -> Iterator[Extraction]:
    """Read a time zone, or a place that lies in only one.

    >>> [found.value for found in zone("现在东京几点", 2)]
    ['Asia/Tokyo']
    """
    if found := _compiled(_IANA).match(text, start):
        name = "/".join("_".join(map(str.capitalize, part.split("_"))) for part in found[0].split("/"))
        yield Extraction(name, start, found.end())
    for length in range(min(LONGEST_NAME, len(text) - start), 1, -1):
        if place := NAMED.get(text[start : start + length]):
            yield Extraction(place, start, start + length)
            return


def day(text: str, start: int) -> Iterator[Extraction]:
    """Read a date with its year, and 今天 and 现在.

    >>> [found.value for found in day("2024年3月3日下午", 0)]
    ['2024-03-03']
    """
    after_year = text[start + 4 : start + 5]
    if after_year == "年" and (found := _compiled(_DAY).match(text, start)):
        date = f"{found[1]}-{int(found[2]):02d}-{int(found[3]):02d}"
        hour = found[4] or found[6]
        minute = found[5] or found[7] or ("30" if found[8] else "00")
        if 1 <= int(found[2]) <= 12 and 1 <= int(found[3]) <= 31:
            yield Extraction(f"{date} {int(hour):02d}:{int(minute):02d}" if hour else date, start, found.end())
    elif after_year == "-" and (found := _compiled(_FIGURES).match(text, start)):
        yield Extraction(found[0], start, found.end())
    elif said := _NOW.get(text[start : start + 2]):
        yield Extraction(said, start, start + 2)


def span(text: str, start: int) -> Iterator[Extraction]:
    """Read a span of time as an ISO 8601 duration.

    >>> [found.value for found in span("两周零3天后", 0)]
    ['P17D']
    """
    if text.isascii():
        return
    if half := _HALF.match(text, start):
        unit, count = _HALVES[half[1]]
        yield Extraction(duration({unit: count}), start, half.end())
        return
    parts: dict[str, int] = {}
    at = start
    while len(parts) < MOST_PARTS and (read := _part(text, at)) and read[0] not in parts:
        parts[read[0]], at = read[1], read[2]
    if parts:
        yield Extraction(duration(parts), start, at)


def _part(text: str, at: int) -> tuple[str, int, int] | None:
    """Read a number with its unit: the unit, how many, and where they end."""
    at += text[at : at + 1] in ("零", "又", "和")
    number = read_number(text, at)
    if number is None or number.percent or not isinstance(number.value, int):
        return None
    unit = _UNIT.match(text, number.end + (text[number.end : number.end + 1] == " "))
    return (UNITS[unit[0]], number.value, unit.end()) if unit else None


def duration(parts: dict[str, int]) -> str:
    """Write how many of each unit as ISO 8601 has it.

    >>> duration({"D": 1, "h": 2})
    'P1DT2H'
    """
    parts = {**parts, "D": parts.get("D", 0) + 7 * parts.get("W", 0)}
    date = "".join(f"{parts[unit]}{unit}" for unit in "YMD" if parts.get(unit))
    time = "".join(f"{parts[unit]}{unit.upper()}" for unit in "hms" if parts.get(unit))
    return f"P{date}T{time}" if time else f"P{date or '0D'}"
