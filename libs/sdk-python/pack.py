"""Makes the wheel that developers install, and prints its path: ``python3 pack.py [FOLDER]``, after a build.

It needs Python 3.11 alone, and no network. ``pip install`` of this folder uses it too, as its build backend (PEP 517).
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
SOURCES = HERE / "src" / "holdfast"
TAG = "py3-none-any"


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    version = version_of((SOURCES / "version.py").read_text())
    info = f"holdfast-{version}.dist-info"
    files = {f"holdfast/{path.name}": path.read_bytes() for path in sorted(SOURCES.glob("*.py"))}
    files["holdfast/py.typed"] = b""
    files[f"{info}/METADATA"] = metadata(version).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: pack.py\nRoot-Is-Purelib: true\nTag: {TAG}\n".encode()
    files[f"{info}/LICENSE"] = (HERE / "../../LICENSE").read_bytes()
    rows = [f"{name},sha256={digest(content)},{len(content)}\n" for name, content in files.items()]
    files[f"{info}/RECORD"] = "".join([*rows, f"{info}/RECORD,,\n"]).encode()
    name = f"holdfast-{version}-{TAG}.whl"
    Path(wheel_directory).mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            # One time for all, so that the same sources give the same bytes.
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, content)
    return name


def version_of(text: str) -> str:
    match = re.search(r'^__version__ = "([^"]+)"$', text, re.MULTILINE)
    if match is None:
        raise ValueError("src/holdfast/version.py has no version: build the workspace again.")
    return match[1]


def metadata(version: str) -> str:
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        *[f"Classifier: {value}" for value in project["classifiers"]],
        *[f"Requires-Dist: {value}" for value in project["dependencies"]],
    ]
    for extra, needs in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *[f'Requires-Dist: {value} ; extra == "{extra}"' for value in needs]]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", (HERE / project["readme"]).read_text()])


def digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    print(folder / build_wheel(str(folder)))
