"""The web, and code to run."""

from __future__ import annotations

from ares_core import Rule
from ares_plugin_rules_en.documents import rule

METHODS = ("get", "head", "options", "post", "put", "patch", "delete")
SEND = "[send|make|do|issue] [a|an] [http] {method} [request|call] (to|on) {url}"
SITE = "[web] [page|website|site|article] [at|from]"
WEB = (
    rule(
        "search the web",
        "WebSearch",
        "(search|look) [on] (web|internet|net|online) for {query:rest}",
        "(google|web search|websearch) [for] {query:rest}",
        "(search|look) [for] {query:rest} (online|on the web|on the internet)",
        "(search|web search) (for|:) {query:rest}",
        "(look up|find out about|find information (on|about)) {query:rest} (online|on the web|on the internet)",
        query="{query}",
    ),
    rule(
        "scrape a page",
        "WebFetch",
        f"(scrape|crawl) {SITE} {{url}}",
        f"(scrape|extract|get|read|fetch) [main] (text|content|contents|article) (of|from|at|on) {SITE} {{url}}",
        f"[main] (text|title|content|links) (of|from|at|on) {SITE} {{url}}",
        "read [web] (page|website|article) [at] {url}",
        url="{url}",
    ),
    rule(
        "save a file",
        "Download HTTPRequest WebFetch",
        "(download|fetch|get|retrieve|save) [pdf] [file|document] [at|from] {url:pdflink}",
        "(download|fetch|get|retrieve|save) pdf [file|document] [at|from] {url}",
        url="{url}",
        method_="GET",
        save_to_="downloads/",
    ),
    rule(
        "fetch an address",
        "HTTPRequest WebFetch",
        "(fetch|download|request|open|load|visit|curl|get|retrieve) [page|file|pdf|contents of|content of] [at|from] {url}",
        "[send] [a] http request to {url}",
        url="{url}",
        method_="GET",
    ),
    rule(
        "save to a place",
        "Download",
        "(download|save) [file|document] [at|from] {url} (to|into|as) [file|folder] {to:place}",
        url="{url}",
        method_="GET",
        save_to="{to}",
    ),
    rule("post to an address", "HTTPRequest", "(post|send) {json} to {url}", url="{url}", method="POST", json="{json}"),
    rule("put to an address", "HTTPRequest", "put {json} to {url}", url="{url}", method="PUT", json="{json}"),
    rule("patch an address", "HTTPRequest", "patch {url} with {json}", url="{url}", method="PATCH", json="{json}"),
    rule("delete an address", "HTTPRequest", "delete {url}", url="{url}", method="DELETE"),
    rule(
        "request with a method",
        "HTTPRequest",
        SEND,
        f"{SEND} (with|and) [body|json|data|payload|json body] [:] {{json}}",
        "[send|make] [a|an] [http] {method} [request] (with|of) [body|json|data|payload] [:] {json} to {url}",
        url="{url}",
        method="{method}",
        json_="{json}",
    ),
    *(Rule(f"method {name}", (name,), reads="method", arguments={"value": name.upper()}) for name in METHODS),
)

SAID = "[the|this|following|some] [bit of|piece of]"
PROGRAM = "(code|script|snippet|program)"
RUN = "(run|execute|evaluate)"
CODE = (
    rule(
        "run Python",
        "CodeExecution",
        f"{RUN} {SAID} [python] {PROGRAM} [:] {{code:snippet}} [in python]",
        f"{RUN} {SAID} python [{PROGRAM}] [:] {{code:snippet}}",
        f"{RUN} {SAID} python [{PROGRAM}] : {{code}}",
        f"{RUN} {SAID} [{PROGRAM}] (in|with|using) python [:] {{code:snippet}}",
        f"{RUN} {SAID} [{PROGRAM}] {{code:snippet}} (in|with|using) python",
        f"{RUN} {SAID} [{PROGRAM}] (in|with|using) python : {{code}}",
        "(run|execute) {code:python}",
        language="python",
        code="{code}",
    ),
    rule(
        "run JavaScript",
        "CodeExecution",
        f"{RUN} {SAID} (javascript|js|node) [{PROGRAM}] [:] {{code:snippet}}",
        f"{RUN} {SAID} (javascript|js|node) [{PROGRAM}] : {{code}}",
        f"{RUN} {SAID} [{PROGRAM}] {{code:snippet}} (in|with|using) (javascript|js|node)",
        f"{RUN} {SAID} [{PROGRAM}] (in|with|using) (javascript|js|node) : {{code}}",
        language=("javascript", "js"),
        code="{code}",
    ),
    Rule("code", ("{c:quoted}",), reads="snippet", arguments={"value": "{c}"}),
    Rule("python code", (f"python [{PROGRAM}] [:] {{c:quoted}}",), reads="python", arguments={"value": "{c}"}),
)

RULES = (*WEB, *CODE)
