"""A file that is not a whole, unchanged model file is refused; writing leaves the old file or the new one."""

from __future__ import annotations

import errno
import os
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save as save_arrays

from empirisk.model_file import ModelFileError, load, save, to_bytes
from tests.model_file.files import assert_same, changed


def test_any_changed_byte_is_refused(model, tmp_path):
    path = tmp_path / "model"
    data = to_bytes(model)
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ (1 << at % 8)]) + data[at + 1 :])
        with pytest.raises(ModelFileError, match=r"model is (damaged|not an empirisk model file)"):
            load(path)


def test_any_missing_or_appended_byte_is_refused(model, tmp_path):
    path = tmp_path / "model"
    data = to_bytes(model)
    for short in [data[:n] for n in range(len(data))] + [data[:n] + data[n + 1 :] for n in range(0, len(data), 7)]:
        path.write_bytes(short)
        with pytest.raises(ModelFileError, match=r"model is (damaged|not an empirisk model file)"):
            load(path)
    for extra in (b"\0", b"\n", data):
        path.write_bytes(data + extra)
        with pytest.raises(ModelFileError, match="model is damaged"):
            load(path)


def test_what_is_no_model_file(tmp_path):
    with pytest.raises(IsADirectoryError):
        load(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="pipe is not a file"):
        load(tmp_path / "pipe")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "missing")
    for content in (b"", b"a,b\n1,2\n", b"\xff" * 100, save_arrays({"weights": np.ones(3)})):
        (tmp_path / "file").write_bytes(content)
        with pytest.raises(ModelFileError, match="is not an empirisk model file"):
            load(tmp_path / "file")


def test_a_newer_format_and_an_unknown_kind_are_refused(model, tmp_path):
    path = tmp_path / "model"
    for change, said in [
        ({"format": 2}, "upgrade empirisk"),
        ({"kind": "tree"}, "unknown kind 'tree'; known: chain, linear"),
    ]:
        save(model, path)
        changed(path, lambda content, arrays, change=change: content.update(change))
        with pytest.raises(ModelFileError, match=said):
            load(path)


def raises_no_space(*args: Any, **more: Any) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("name", ["fsync", "replace", "chmod"])
def test_a_failure_on_the_way_leaves_the_old_file_and_nothing_else(name, model, tmp_path, monkeypatch):
    path = tmp_path / "model"
    path.write_text("old")
    monkeypatch.setattr(os, name, raises_no_space)
    with pytest.raises(OSError, match="No space left on device") as caught:
        save(model, path)
    assert caught.value.filename == str(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_model_is_neither_written_to_nor_read_from_a_folder_or_pipe(model, tmp_path):
    with pytest.raises(OSError, match="Is a directory"):
        save(model, tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="Not a regular file"):
        save(model, tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="is not a file"):
        load(tmp_path / "pipe")


def test_a_model_saved_through_a_link_comes_back(model, tmp_path):
    path, link = tmp_path / "model", tmp_path / "link"
    path.write_text("old")
    link.symlink_to(path)
    save(model, link)
    assert link.is_symlink()
    assert_same(load(link), model)
