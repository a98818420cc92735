"""The wheel: it holds only the environment, is typed, and imports fast."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def run_python(*arguments: str, cwd: Path) -> str:
    """Run this interpreter with some arguments, and return its output."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=cwd, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Build the wheel with the installed tools, without network access."""
    folder = tmp_path_factory.mktemp("wheel")
    build = ("-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder))
    run_python(*build, str(CHECKOUT), cwd=folder)
    (path,) = folder.iterdir()
    return path


def test_the_wheel_holds_the_whole_environment_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    sources = {
        path.relative_to(CHECKOUT).as_posix()
        for path in (CHECKOUT / "sjavs_env").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert held == sources
    assert {"sjavs_env/__init__.py", "sjavs_env/py.typed"} <= held


def test_the_wheel_says_what_it_is(wheel):
    stem = f"sjavs_env-{PROJECT['version']}"
    assert wheel.name == f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"{stem}.dist-info/METADATA").decode()
        assert archive.read(f"{stem}.dist-info/licenses/LICENSE").startswith(b"MIT License")
    fields = [line.partition(": ")[::2] for line in metadata.partition("\n\n")[0].splitlines()]
    assert ("License-Expression", "MIT") in fields
    needed = {value for key, value in fields if key == "Requires-Dist" and "extra ==" not in value}
    assert needed == {"gymnasium>=1.0", "numpy>=2.0", "pettingzoo>=1.24"}


def test_the_wheel_plays_without_the_checkout(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    program = "import sjavs_env; sjavs_env.sjavs_v0.env().reset(seed=1); print(sjavs_env.__file__)"
    printed = run_python("-c", program, cwd=tmp_path)
    assert Path(printed.strip()).is_relative_to(tmp_path)


def test_importing_the_environment_loads_no_torch_and_takes_less_than_a_second(tmp_path):
    program = (
        "import sys, time, sjavs_env; print('torch' in sys.modules or 'agents' in sys.modules);"
        "print(time.process_time())"
    )
    heavy, seconds = run_python("-c", program, cwd=tmp_path).split()
    assert heavy == "False"
    assert float(seconds) < 1.0


def test_every_requirement_is_pinned():
    lines = (CHECKOUT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(pin.count("==") == 1 and not set(pin) & set("/@+;: ") for pin in pins)
    pinned = {pin.partition("==")[0].lower() for pin in pins}
    asked = [*PROJECT["dependencies"]]
    for extra in PROJECT["optional-dependencies"].values():
        asked += extra
    assert {requirement.partition(">=")[0] for requirement in asked} <= pinned
