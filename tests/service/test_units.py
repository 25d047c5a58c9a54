"""What `camphor service install` writes is what the systems read."""

from __future__ import annotations

import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from camphor.errors import UsageError
from camphor.service.loop import unit_for


def test_the_systemd_unit_is_one_and_comes_and_goes(tmp_path: Path) -> None:
    home = tmp_path / 'my "data" 100% $HOME'
    unit = unit_for("linux", {"CAMPHOR_HOME": str(home), "XDG_CONFIG_HOME": str(tmp_path / "config")})
    assert unit.path == tmp_path / "config" / "systemd" / "user" / "camphor.service"
    assert not unit.installed
    assert not unit.uninstall()
    unit.install()
    unit.install()
    assert unit.installed
    text = unit.path.read_text()
    assert f'ExecStart="{sys.executable}" "-m" "camphor" "service" "run"' in text
    assert 'my \\"data\\" 100%% $HOME"' in text
    if verify := shutil.which("systemd-analyze"):
        told = subprocess.run(
            [verify, "--user", "verify", str(unit.path)], capture_output=True, text=True, timeout=60, check=False,
            env={"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"},
        )  # fmt: skip
        assert "camphor.service:" not in told.stderr, told.stderr
    assert unit.uninstall()
    assert not unit.installed


def test_the_unit_keeps_where_the_data_lies() -> None:
    text = unit_for("linux", {"XDG_DATA_HOME": "/data/x"}).content.decode()
    assert 'Environment="XDG_DATA_HOME=/data/x"' in text


def test_the_launch_agent_is_a_property_list() -> None:
    unit = unit_for("darwin", {"CAMPHOR_HOME": "/data/cam phor"})
    agent = plistlib.loads(unit.content)
    assert unit.path.parts[-3:-1] == ("Library", "LaunchAgents")
    assert agent["ProgramArguments"] == [sys.executable, "-m", "camphor", "service", "run"]
    assert agent["EnvironmentVariables"] == {"CAMPHOR_HOME": "/data/cam phor"}
    assert agent["KeepAlive"] is True


def test_another_system_is_told_what_to_do() -> None:
    with pytest.raises(UsageError, match="when you log in"):
        unit_for("win32", {})
