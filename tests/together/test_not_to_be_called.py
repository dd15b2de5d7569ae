"""What only sounds like a wish: forbidden, told, asked about, in another sense. No tool may be called."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ares_core import Ares

ROOT = Path(__file__).parents[2]
PLUGINS = sorted(path.parent.name for path in ROOT.glob("plugins/*/pyproject.toml"))
ENGLISH = """
Please do not compute 2+2
You should never delete a.txt
don't run python code: print(1)
Without hashing it, tell me about 'abc'
Can you explain what 5 factorial means?
How do I compute the md5 of a file?
how to reverse a string
What does "sum of 3 and 4" mean?
She asked "what is 3 plus 4?"
The sign says "delete a.txt"
My teacher wrote 3+4 on the board
"delete a.txt"
What is the definition of standard deviation?
write a poem about 3 cats and 4 dogs
I have 3 apples and 4 oranges
The meeting is from 3 to 4
chapters 1 to 10
I read report.pdf yesterday
we downloaded https://example.com last week
he hashed his password
base64 makes files a third larger
base64 encodes bytes
2x+3
the sum of 1 and 2 plus the sum of 3 and 4
add salt to the soup
add 3 eggs to the bowl
divide and conquer
multiply like rabbits
split the bill with friends
reverse engineering is fun
reverse the car
trim the hedge
lower your voice
the upper house voted
what is the capital of France
what is love
what time does the train leave
time flies
date night ideas
read my mind
open the door
list your favourite movies
search your feelings
look up at the stars
run 5 miles
execute order 66
generate interest
create a masterpiece
copy that
move on
delete my account
embed yourself in the culture
post a letter
put the kettle on
get well soon
patch my jeans
find errors in my ways
the average person sleeps 8 hours
mean people suck
median income in 2020
the mode of transport
what is the maximum speed of a cheetah
minimum wage in 2024
sum it up for me
in sum, it was good
plus, he is nice
minus the attitude
10 out of 10 people agree
call 911
iPhone 15 vs iPhone 14
version 2.0 plus patches
1984 by George Orwell
Ocean's 11
7 wonders of the world
50 shades
let us meet at 5 to 6
is 7 a lucky number?
is 7 prime time?
sum of the angles of a triangle
the square root of all evil
cube of sugar
the power of 2 people
percent of people who vote
20% chance of rain
sum of even prime numbers from 1 to 100
average of the top 3 of 1, 2, 3, 4
sum of 1 to 100 that are divisible by 7
sum from 1 to 100 excluding multiples of 3
median of the squares
largest of them all
round up the usual suspects
round trip to 2 cities
does he contain himself
encode the message
hash tables are fast
sha256 is a hash function
md5 is insecure
base64 is not encryption
uuid stands for universally unique identifier
regex is hard
parse tree
json is a format
validate my feelings
flatten the curve
what if 2+2 was 5
if 3+4 is 7, what is love
suppose x = 3
solve x + 3 = 7
derivative of x**2
integrate x from 0 to 1
3 apples plus 4 oranges
5 kg plus 3 lb
sum of 3 meters and 4 feet
The weather was -3 to 5 degrees
Flight 815 departs at 9:45
He is 6'2" tall
page 3-4
call 555-0199 between 9 and 5
the ratio of men to women
our team won 3 to 1
half the battle
I'd rather not add 2 and 3
nobody asked you to sum 1 and 2
instead of adding 2 and 3, sing
Is it true that 2+2 equals 5 in that book?
"sum of 1 and 2"
'md5 of hello'
tell me a story about uuids
hash it out with your brother
please don't hash "abc", I only mention it
""".strip().splitlines()
CHINESE = """
5比3大吗
138-1234-5678
删除a.txt吗
不要计算2+2
别删除a.txt
请勿运行python代码：print(1)
解释一下什么是5的阶乘
怎么计算文件的md5
如何反转字符串
“3加4”是什么意思
她问“3加4等于多少”
老师在黑板上写了3+4
“删除a.txt”
标准差的定义是什么
写一首关于3只猫和4只狗的诗
我有3个苹果和4个橘子
会议从3点到4点
第1到10章
我昨天读了report.pdf
我们上周下载了https://example.com
他把密码哈希了
给汤加盐
往碗里加3个鸡蛋
分割线
反转剧情
大写的尴尬
小写字母
法国的首都是哪里
火车几点开
时间过得真快
打开门
打开窗户
运行5公里
生成利息
复制粘贴
移动支付
删除我的账号
平均每人睡8小时
众数是什么
最大的动物
10个人里有9个同意
打110
苹果15和苹果14哪个好
版本2.0加补丁
一千零一夜
三十六计
五加皮
三加二饼干
百分之百的努力
下雨的概率是20%
1到100中偶数质数的和
1到100中除了3的倍数的和
求求你
求和平
和平与发展
哈希表很快
md5不安全
base64不是加密
正则很难
json是一种格式
假如2+2等于5
如果3加4是7
解方程x+3=7
3个苹果加4个橘子
5公斤加3斤
3米加4英尺
别告诉我3加4等于多少
他说“计算3加4”
“hello的md5”
不用下载https://example.com/a.pdf
为什么2+2等于4
第3行到第5行
电话是555-0199
比分是3比1
身高一米八
温度从-3到5度
讲一个关于哈希的故事
三心二意
计算机有3个接口
加油站还有5公里
差不多3点
地方有2个出口
""".strip().splitlines()


FOR_AGENTS = """
delegate this task to someone
give me a list of tasks
read the terminal
add milk to my todo list
search my memory for tea
what did I do in this session
""".strip().splitlines()


@pytest.fixture(scope="module")
def everything() -> Iterator[Ares]:
    with Ares(plugins=PLUGINS) as ares:
        yield ares


@pytest.mark.parametrize("request_", [*ENGLISH, *CHINESE, *FOR_AGENTS])
def test_nothing_is_called(everything: Ares, request_: str) -> None:
    found = everything.plan(request_)
    assert found.error is not None, [(step.tool, step.arguments) for step in found.steps]
    assert found.steps == ()
    assert found.error.message.endswith(("Not executed.", "未执行。"))
