"""Files and folders."""

from __future__ import annotations

from ares_core import Rule
from ares_plugin_rules_zh.documents import rule

FOLDER = "(目录|文件夹|文件目录)"
FILE = "[文件] {path:file} [这个] [文件]"
DELETED = "(删除|删掉|删了)"
AT = "[下|里|中|下面|里面]"
MASK = "({pattern:glob} [的]|{pattern:mask})"
FIND = "(列出|查看|显示|找出|查找)"
TYPES = {
    "python": "py", "javascript": "js", "java": "java", "markdown": "md", "日志": "log", "文本": "txt", "excel": "xlsx",
    "word": "docx",
}  # fmt: skip
POLITE = "(请|麻烦|你能|你可以|能帮我|能不能|能否|可不可以) [你] [帮我|帮忙|帮]"
FILES = (
    rule(
        "读文件",
        "FileOperations",
        f"(读取|打开|查看|读|显示|看看|读一下) {FILE} [的] [内容]",
        f"{FILE} (里|中|里面) [有] (什么|写了什么|是什么)",
        "(文件 {path:file}|{path:filename}) (里|中|里面)",
        f"{FILE} 的 内容",
        operation="read",
        path="{path}",
    ),
    rule(
        "列目录",
        "FileOperations",
        f"(列出|查看|显示) [{FOLDER}] {{path:folder}} [{FOLDER}] (下|里|中|下面|里面|中的|下的|里的|的) [的] [所有|全部] [的] (文件|内容|文件列表)",
        f"(列出|查看|显示) {FOLDER} {{path:folder}} [所有|全部] [的] (文件|内容|文件列表)",
        f"(列出|查看|显示) {{path:folder}} {FOLDER} [所有|全部] [的] [文件|内容|文件列表]",
        f"(列出|查看|显示) {FOLDER} {{path:folder}}",
        "列出 {path:夹名} [的] [所有|全部] [的] (文件|文件列表)",
        "(列出|查看|显示) {path:常用夹} [的] [所有|全部] [的] [文件|文件列表]",
        f"{{path:folder}} {FOLDER} {AT} [都] 有 (哪些|什么|啥) [文件|东西|内容]",
        f"{{path:夹名}} {AT} [都] 有 (哪些|什么|啥) 文件",
        f"{{path:常用夹}} {AT} [都] 有 (哪些|什么|啥) [东西|内容]",
        operation="list",
        path="{path}",
    ),
    rule(
        "列某类文件",
        "FileOperations",
        f"{FIND} [当前] [{FOLDER}] {AT} [的] [所有|全部] [的] {MASK} 文件",
        f"{FIND} [{FOLDER}] {{path:夹名}} [{FOLDER}] {AT} [的] [所有|全部] [的] {MASK} 文件",
        operation="list",
        pattern="{pattern}",
        path_="{path}",
    ),
    rule(
        "列当前目录",
        "FileOperations",
        f"(列出|查看|显示) (当前|本|这个|工作) {FOLDER} [下|里|中|下面|里面] [的] [所有|全部] [的] [文件|内容]",
        f"(当前|本) {FOLDER} [下|里|中|下面|里面] 有 (哪些|什么) 文件",
        "列出 [所有|全部] [的] 文件",
        operation="list",
        path=".",
    ),
    rule(
        "写文件",
        "FileOperations",
        f"[把|将] [内容|文字] {{content:quoted}} (写入|写到|写进|保存到|存到|存入|保存为) {FILE} [里|中]",
        f"(新建|创建) {FILE} [,] 内容 (为|是|:) {{content:quoted}}",
        f"[把|将] {{content:ref}} (写入|写到|写进|保存到|存到|存入|保存为) {FILE} [里|中]",
        operation="write",
        path="{path}",
        content="{content}",
    ),
    rule(
        "追加文件",
        "FileOperations",
        f"[把|将] {{content:quoted}} (追加到|添加到|加到) {FILE} [末尾|结尾|的末尾|后面|里|中]",
        f"(在|向) {FILE} [末尾|结尾|的末尾|后面|里|中] (追加|添加) [:] {{content:quoted}}",
        operation="append",
        path="{path}",
        content="{content}",
    ),
    rule(
        "文件是否存在",
        "FileOperations",
        f"{FILE} (存不存在|是否存在|存在|在不在)",
        f"(检查|看看|确认) {FILE} (存不存在|是否存在|在不在)",
        f"有没有 {FILE}",
        operation="exists",
        path="{path}",
    ),
    rule(
        "文件信息",
        "FileOperations",
        f"{FILE} [的] (大小|文件大小|信息|详情|属性|修改时间)",
        f"{FILE} (有多大|多大)",
        f"(查看|显示) {FILE} 的 (大小|信息|详情|属性|修改时间)",
        operation="stat",
        path="{path}",
    ),
    rule(
        "建目录",
        "FileOperations",
        f"(新建|创建|建立|建) [一个] [新的] [名为|叫] {FOLDER} {{path:folder}}",
        f"(新建|创建|建立|建) [一个] [新的] [名为|叫] {{path:folder}} [的] {FOLDER}",
        operation="mkdir",
        path="{path}",
    ),
    rule(
        "移动文件",
        "FileOperations",
        f"[把|将] {FILE} (移动到|移到|重命名为|改名为|改名叫|挪到) {{to:folder}}",
        f"(移动|重命名) {FILE} (到|为) {{to:folder}}",
        operation="move",
        path="{path}",
        destination="{to}",
    ),
    rule(
        "复制文件",
        "FileOperations",
        f"[把|将] {FILE} (复制到|拷贝到|复制为|复制成) {{to:folder}}",
        f"(复制|拷贝) {FILE} (到|为) {{to:folder}}",
        operation="copy",
        path="{path}",
        destination="{to}",
    ),
    rule(
        "删文件",
        "FileOperations",
        f"{DELETED} {FILE}",
        f"[把|将] {FILE} {DELETED}",
        f"{DELETED} {FOLDER} {{path:folder}}",
        excludes=("吗",),
        operation="delete",
        path="{path}",
    ),
    rule(
        "请人删文件",
        "FileOperations",
        f"{POLITE} {DELETED} {FILE} [好|可以|行] 吗",
        f"{POLITE} (把|将) {FILE} {DELETED} [好|可以|行] 吗",
        operation="delete",
        path="{path}",
    ),
    Rule("文件名", ("{p:path}", "{p:filename}", "{p:quoted}"), reads="file", arguments={"value": "{p}"}),
    Rule("目录名", ("{p:path}", "{p:foldername}", "{p:quoted}"), reads="folder", arguments={"value": "{p}"}),
    *(Rule(f"{name}文件", (name,), reads="mask", arguments={"value": f"*.{end}"}) for name, end in TYPES.items()),
)
WRITTEN = (
    rule(
        "读写好的文件",
        "FileOperations",
        "(读取|打开|查看|读|显示|看看|读一下|看一下) {path:written} [的] [内容]",
        "[把|将] {path:written} (读出来|读取出来|打开|显示出来)",
        operation="read",
        path="{path}",
    ),
    rule(
        "追加写好的文件",
        "FileOperations",
        "[把|将] {content:quoted} (追加到|添加到|加到) {path:written} [末尾|结尾|的末尾|后面|里|中]",
        operation="append",
        path="{path}",
        content="{content}",
    ),
    rule(
        "复制写好的文件",
        "FileOperations",
        "[把|将] {path:written} (复制到|拷贝到|复制为|复制成) {to:folder}",
        operation="copy",
        path="{path}",
        destination="{to}",
    ),
)

RULES = FILES
