"""A small general lexicon: what prepositions, kinds of names, currencies and some Chinese words say of an argument."""

from __future__ import annotations

from ares_core.planner.lexical import EMPTY, VERBS, stem

PREPOSITIONS = frozenset(
    "in at for of from to on with by about named called near into as using between against titled through under over "
    "within towards toward around than per like featuring via serving offering containing involving starring".split()
)
ENDS = PREPOSITIONS | frozenset(
    'and or , . ? ! ; : ( ) [ ] { } = < > " that which who where when while if then is are was were has have had given '
    "considering i my me please assuming whose will would can could should during over since until at who's what's "
    "there this these those it its they them we you he she but so because whether how what why not do does did be "
    "after before having being".split()
)
ARTICLES = frozenset("the a an my your his her our their its some any this that these those each every another".split())
ACTIONS = VERBS | frozenset(
    "translate sort filter count add remove delete change modify fetch give tell help need want show provide suggest "
    "recommend plan schedule reserve buy purchase sell send compare play plot draw track measure simulate locate "
    "discover explain describe summarize summarise assess predict forecast determine perform run start stop make use "
    "write read open close access request retrieve check draw return convert say know like go live happen include "
    "produce occur become contain found made placed located based called named situated using looking searching "
    "traveling travelling driving going starting opens open opening happening planning trying interested "
    "who what which when where whose why how can could would will please is are was were do does did i am i'm i'd "
    "considering assuming given let get look see invest draft prepare apply design build train analyze".split()
)
RANKS = frozenset(
    "best top highest lowest nearest closest nearby cheapest latest newest current most least rated largest smallest "
    "biggest tallest fastest average popular good great first last next past recent upcoming total available detailed "
    "different various several many few all same new certain particular specific following given overall exact "
    "official more other only also now currently today key main major important random possible".split()
)
"""Words before a noun that rank or count it, and say nothing of what it is."""

START = frozenset("start from origin source begin departure initial min minimum lower low first base".split())
END = frozenset("end to destination target arrival final max maximum upper high last second converted".split())
ROLES = {
    "place": "city location place country state region area address destination town venue county origin where land "
    "province continent hotel_location my_location departure arrival nation",
    "person": "person author artist player actor director composer painter president leader user username student "
    "name recipient employee inventor philosopher celebrity scientist sculptor musician judge lawyer",
    "company": "company firm organization organisation brand stock ticker business bank manufacturer employer",
    "named": "name title team league event movie book song game album museum platform language currency religion sport "
    "product model index court war law treaty park university school building monument",
    "kind": "type kind genre category style format method mode cuisine color colour unit material species level size "
    "status gender operation order field diet preference theme topic",
    "text": "text message content sentence review query question body paragraph comment prompt note phrase string",
    "date": "date day deadline birthday checkout", "period": "period frame timeframe era time window",
    "year": "year season", "code": "number id code zip phone docket isbn version serial postal snp account",
    "language": "language lang", "currency": "currency", "money": "price cost budget amount salary payment fee income "
    "revenue investment principal deposit value capital loan balance",
    "unit": "unit", "formula": "function expression equation formula polynomial func", "month": "month",
    "range": "range interval limit bound period window domain",
    "color": "color colour", "transport": "transport transportation", "gender": "gender sex",
    "sport": "sport", "count": "count limit top n num number max quantity results",
    "hour": "hour time", "minute": "minute", "start": " ".join(START), "end": " ".join(END),
    "country": "country nation", "url": "url uri link website endpoint", "email": "email mail",
    "path": "path file filename",
}  # fmt: skip
ROLES_OF: dict[str, set[str]] = {}
for _role, _words in ROLES.items():
    for _word in _words.split():
        ROLES_OF.setdefault(stem(_word), set()).add(_role)
WEAK = frozenset(map(stem, "value number amount count total num n type name id of in the to s data info list".split()))
"""Words of parameters' names that tell little by themselves."""
NOISE = EMPTY | frozenset("e i g".split())

CURRENCIES = {
    "dollar": "USD", "buck": "USD", "euro": "EUR", "pound": "GBP", "sterling": "GBP", "yen": "JPY", "yuan": "CNY",
    "renminbi": "CNY", "rmb": "CNY", "rupee": "INR", "won": "KRW", "franc": "CHF", "ruble": "RUB", "peso": "MXN",
    "real": "BRL", "lira": "TRY", "krona": "SEK", "shekel": "ILS", "baht": "THB",
    "美元": "USD", "欧元": "EUR", "英镑": "GBP", "日元": "JPY", "人民币": "CNY", "港币": "HKD", "韩元": "KRW",
}  # fmt: skip
DOLLARS = {"us": "USD", "american": "USD", "canadian": "CAD", "australian": "AUD", "singapore": "SGD", "hong": "HKD"}
PEOPLES = {
    "german": "Germany", "french": "France", "italian": "Italy", "spanish": "Spain", "british": "United Kingdom",
    "english": "England", "american": "United States", "chinese": "China", "japanese": "Japan", "russian": "Russia",
    "indian": "India", "canadian": "Canada", "australian": "Australia", "brazilian": "Brazil", "mexican": "Mexico",
    "dutch": "Netherlands", "swedish": "Sweden", "polish": "Poland", "greek": "Greece", "turkish": "Turkey",
    "egyptian": "Egypt", "korean": "Korea", "irish": "Ireland", "portuguese": "Portugal", "swiss": "Switzerland",
}  # fmt: skip
_CITIES = {
    "NY": "New York|New York City|Buffalo",
    "CA": "Los Angeles|San Francisco|San Diego|San Jose|Sacramento|Oakland|Berkeley",
    "IL": "Chicago",
    "TX": "Houston|Dallas|Austin|San Antonio|Fort Worth|El Paso",
    "AZ": "Phoenix|Tucson",
    "PA": "Philadelphia|Pittsburgh",
    "WA": "Seattle|Spokane",
    "CO": "Denver",
    "MA": "Boston",
    "NV": "Las Vegas|Reno",
    "TN": "Nashville|Memphis",
    "MI": "Detroit",
    "OR": "Portland",
    "OK": "Oklahoma City|Tulsa",
    "WI": "Milwaukee",
    "GA": "Atlanta",
    "FL": "Miami|Orlando|Tampa",
    "OH": "Cleveland|Cincinnati",
    "MN": "Minneapolis",
    "LA": "New Orleans",
    "HI": "Honolulu",
    "AK": "Anchorage",
    "UT": "Salt Lake City",
    "NC": "Charlotte|Raleigh",
    "MD": "Baltimore",
    "IN": "Indianapolis",
    "NM": "Albuquerque",
    "NE": "Omaha",
    "DC": "Washington",
}
STATES = {city: state for state, cities in _CITIES.items() for city in cities.split("|")}
"""The states of large cities, for parameters that want a city with its state."""
CHINESE = {
    "从": "from", "自": "from", "到": "to", "至": "to", "去": "to", "在": "in", "于": "in", "给": "for", "用": "with",
    "为": "for", "关于": "about", "对": "for", "的": "of",
}  # fmt: skip
"""Chinese words that stand before a name as English prepositions do."""
_TRANSLATED = """
城市 city, 天气 weather, 日期 date, 天 day, 日 day, 年 year, 月 month, 周 week, 小时 hour, 分钟 minute,
秒 second, 价格 price, 价 price, 元 price, 公司 company, 股票 stock, 语言 language, 标题 title,
名字 name, 姓名 name, 数量 count, 个 count, 人 people, 温度 temperature, 长度 length, 长 length,
宽 width, 高 height, 宽度 width, 高度 height, 半径 radius, 底 base, 底边 base, 重量 weight, 体重 weight,
身高 height, 速度 speed, 时间 time, 距离 distance, 面积 area, 体积 volume, 单位 unit, 国家 country,
地址 address, 电话 phone, 邮件 email, 邮箱 email, 颜色 color, 大小 size, 类型 type, 利率 rate,
本金 principal, 年龄 age, 餐厅 restaurant, 酒店 hotel, 机票 flight, 航班 flight, 电影 movie, 书 book,
房间 room, 预算 budget, 红色 red, 蓝色 blue, 绿色 green, 黑色 black, 白色 white, 大 large, 中 medium,
小 small, 高级 high, 低 low, 升序 ascending, 降序 descending, 摄氏 celsius, 华氏 fahrenheit,
英语 english, 中文 chinese, 法语 french, 德语 german, 日语 japanese, 西班牙语 spanish, 英文 english,
每天 daily, 每周 weekly, 每月 monthly, 每年 yearly, 紧急 urgent, 公里 kilometer, 英里 mile, 步行 walking,
开车 driving, 骑车 cycling, 公交 transit, 男 male, 女 female, 搜索 search, 翻译 translate, 预订 book,
汇率 exchange, 新闻 news, 音乐 music, 歌曲 song, 火车 train, 路线 route
"""
TRANSLATED = dict(pair.split() for pair in _TRANSLATED.split(","))
"""Chinese words, and what names of parameters and choices call it in English."""
SAME = (
    "large big huge", "small little tiny", "ascending asc increasing", "descending desc decreasing",
    "yearly annually annual", "monthly month", "daily day", "weekly week", "car drive driving", "walk walking foot",
    "bike bicycle cycling bicycling cycle", "transit public bus subway", "vegetarian veggie", "male man men boy",
    "female woman women girl", "economy coach", "cheap budget inexpensive low", "expensive luxury high",
    "delete remove drop erase", "add insert create append", "buy purchase", "fahrenheit f", "celsius c centigrade",
    "kilometer km", "mile mi", "kilogram kg", "pound lb", "urgent high critical", "detailed detail full comprehensive",
    "summary brief short", "metric celsius", "imperial fahrenheit", "picture image photo", "film movie",
)  # fmt: skip
"""Words that may stand for one another in a choice."""
SYNONYMS: dict[str, set[str]] = {}
for _line in SAME:
    _same = {stem(_word) for _word in _line.split()}
    for _word in _same:
        SYNONYMS.setdefault(_word, set()).update(_same - {_word})


KNOWN = {
    "place": "北京 上海 广州 深圳 杭州 南京 成都 重庆 武汉 西安 天津 苏州 香港 台北 东京 首尔 纽约 伦敦 巴黎 柏林 悉尼",
    "color": "red green blue black white yellow orange purple pink brown gray grey silver golden violet",
    "transport": "train bus car plane bicycle bike subway metro taxi ferry walking driving flight",
    "gender": "male female men women man woman boys girls",
    "language": "English French German Spanish Italian Portuguese Dutch Russian Chinese Japanese Korean Arabic Hindi",
    "sport": "football soccer basketball baseball tennis golf cricket "
    "rugby hockey volleyball badminton swimming boxing chess",
    "currency": "dollar euro pound sterling yen yuan renminbi rupee won franc ruble "
    "peso lira rand USD EUR GBP JPY CNY INR CAD AUD",
    "month": "January February March April May June July August September October November December",
}
"""Values of kinds that are the same everywhere."""


def kinds_of_name(names: frozenset[str]) -> frozenset[str]:
    """What the words of a parameter's name say that it holds.

    >>> sorted(kinds_of_name(frozenset({stem("town")})))
    ['place']
    """
    return frozenset(role for name in names for role in ROLES_OF.get(name, ()))
