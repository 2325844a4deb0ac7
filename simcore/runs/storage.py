"""Files of a run, in a local folder or behind a URL (s3://…, file://…): whole files only."""

import errno
import os
from pathlib import Path
from typing import Any

import pyarrow.fs as pafs

from simcore.errors import RunError

TEMPORARY = ".unfinished"


class NoFile(Exception):
    """What stands under a file's name is none that could be ours: what it is, in a few words."""


class Storage:
    """Reads and writes whole files below one place; a file appears complete or not at all.

    local: the folder, where the place is one on this machine. Raises RunError where the place
    cannot be used.
    """

    def __init__(self, place: str | Path) -> None:
        self.place = str(place)
        self.shared = "://" in self.place  # a URL says that other machines reach it too
        if self.shared:
            try:
                self.filesystem, self._root = pafs.FileSystem.from_uri(self.place)
            except (ValueError, OSError) as error:
                raise RunError(
                    f"place {self.place!r} cannot be used: {error}; check the URL"
                ) from None
        else:
            self.filesystem, self._root = pafs.LocalFileSystem(), str(Path(place).absolute())
        is_local = isinstance(self.filesystem, pafs.LocalFileSystem)
        self.local: Path | None = Path(self._root) if is_local else None

    def path(self, name: str) -> str:
        """Path of a file within the file system."""
        return f"{self._root}/{name}" if name else self._root

    def failure(self, error: OSError) -> RunError:
        """What an error of the operating system means for the run."""
        number = error.errno or next(
            (n for n in (errno.ENOSPC, errno.EROFS) if f"errno {n}]" in str(error).lower()), 0
        )
        if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            return RunError(
                f"the disk that holds {self.place!r} is full; finished parts are kept: free some "
                "space and run the same command again"
            )
        reason = os.strerror(number) if number else str(error)
        return RunError(f"folder {self.place!r} cannot be written: {reason}; choose another --out")

    def make_folder(self, name: str = "") -> None:
        """Create a folder and its parents. Raises OSError."""
        if self.local is not None:
            Path(self.path(name)).mkdir(parents=True, exist_ok=True)
        else:
            self.filesystem.create_dir(self.path(name), recursive=True)

    def names(self, folder: str = "") -> list[str]:
        """Names in a folder, sorted; none if there is no such folder. Raises RunError."""
        selector = pafs.FileSelector(self.path(folder), allow_not_found=True)
        try:
            return sorted(info.base_name for info in self.filesystem.get_file_info(selector))
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise RunError(
                f"{self.path(folder)!r} is no folder that can be read ({reason}); restore it from "
                "a copy, or use another"
            ) from None

    def read(self, name: str, most: int) -> bytes:
        """A file's bytes, at most so many. Raises OSError, NoFile."""
        info = self.filesystem.get_file_info(self.path(name))
        if info.type == pafs.FileType.NotFound:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.path(name))
        if not info.is_file or (self.local is not None and not Path(self.path(name)).is_file()):
            raise NoFile("it is no ordinary file")
        if info.size > most:
            raise NoFile(f"it has {info.size:,} bytes, and none has more than {most:,}")
        with self.filesystem.open_input_stream(self.path(name), compression=None) as stream:
            return bytes(stream.read())

    def open(self, name: str) -> Any:
        """A file to read from anywhere within. Raises OSError."""
        return self.filesystem.open_input_file(self.path(name))

    def write(self, name: str, data: bytes) -> None:
        """Write a file: locally under another name, flushed to the disk, then renamed."""
        if self.local is None:
            with self.filesystem.open_output_stream(self.path(name), compression=None) as stream:
                stream.write(data)  # object stores show a file when it is complete
            return
        _write_whole(Path(self.path(name)), data)

    def move(self, name: str, target: str) -> None:
        """Rename a file. Raises OSError."""
        self.filesystem.move(self.path(name), self.path(target))

    def remove(self, name: str) -> None:
        """Delete a file. Raises OSError."""
        self.filesystem.delete_file(self.path(name))


def write_file(path: Path, data: bytes) -> None:
    """Write a file of the user's, complete or not at all. Raises RunError."""
    try:
        _write_whole(path, data)
    except OSError as error:
        raise RunError(
            f"file {str(path)!r} cannot be written: {error.strerror or error}; choose another --out"
        ) from None


def _write_whole(path: Path, data: bytes) -> None:
    """Under another name first, flushed to the disk, then renamed. Raises OSError."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}{TEMPORARY}")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        _flush_folder(path.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _flush_folder(folder: Path) -> None:
    """See a new name through to the disk, where the system knows how."""
    try:
        number = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(number)
    except OSError:
        pass  # a file system that has nothing to flush
    finally:
        os.close(number)
