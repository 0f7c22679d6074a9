"""API keys, hashed, in a file that only its owner can read.

A key is `assay_`, an id of 8 characters, `_`, and 43 random characters of 62, which are 256 bits. Such a key cannot be
guessed from its hash, so SHA-256, which takes a microsecond per request, is as safe as a slow hash.
"""

import errno
import hashlib
import hmac
import json
import logging
import os
import re
import secrets
import string
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

from filelock import FileLock, Timeout

from assay.atomic_files import write_files
from assay.errors import ConfigurationError, FileUnwritable, InputError
from assay.model.access import KEY_PREFIX, RATE_LIMIT, ApiKey, Scope
from assay.redaction import redacted

logger = logging.getLogger(__name__)

KEY_PATTERN = re.compile(r"assay_([a-z0-9]{8})_([A-Za-z0-9]{43})")

_ID_LETTERS = string.ascii_lowercase + string.digits
_SECRET_LETTERS = string.ascii_letters + string.digits
_VERSION = 1
_NAME_LIMIT = 100
_LOCK_SECONDS = 10.0
_NO_HASH = "0" * 64


@dataclass(frozen=True, slots=True)
class _Loaded:
    """The keys by id, and the file's inode, time and size when read."""

    stamp: tuple[int, ...] | None
    keys: dict[str, ApiKey]


class KeyFile:
    """The API keys of one Assay. Changes of the file by any process apply to the next request.

    With a damaged file no key works, because a revocation could be unreadable; methods raise ConfigurationError.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock()
        self._loaded = _Loaded(None, {})

    def listed(self) -> list[ApiKey]:
        """All keys, including expired ones, oldest first. Raises ConfigurationError."""
        return sorted(self._read().values(), key=lambda key: key.created_at)

    def find(self, token: str) -> ApiKey | None:
        """Look up a key; None if it is unknown or expired. Raises ConfigurationError."""
        keys = self._read()
        found = KEY_PATTERN.fullmatch(token)
        key = keys.get(found[1]) if found else None
        digest = hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
        # Compared in constant time, also for an unknown id.
        same = hmac.compare_digest(digest, key.sha256 if key else _NO_HASH)
        return key if key and same and not key.has_expired(datetime.now(UTC)) else None

    def has_admin(self) -> bool:
        """Whether an unexpired key has the scope `admin`. Raises ConfigurationError."""
        now = datetime.now(UTC)
        return any(Scope.ADMIN in key.scopes and not key.has_expired(now) for key in self._read().values())

    def add(
        self,
        name: str,
        scopes: Sequence[Scope],
        *,
        expires_at: datetime | None = None,
        rate_limit: str | None = None,
        address_rate_limit: str | None = None,
    ) -> tuple[ApiKey, str]:
        """Create a key. Returns its stored record, and the key itself, which is not stored.

        Raises InputError for a name that is empty, too long or taken, ConfigurationError.
        """
        if not name.strip() or len(name) > _NAME_LIMIT or not name.isprintable():
            raise InputError(f"name: it has to be 1 to {_NAME_LIMIT} printable characters; {name[:100]!r} was given.")
        for limit in (rate_limit, address_rate_limit):
            if limit is not None and not re.fullmatch(RATE_LIMIT, limit):
                raise InputError(f"rate limit: it has to look like 600/minute, or be off; {limit[:100]!r} was given.")
        with self._writing() as keys:
            if any(key.name == name for key in keys.values()):
                raise InputError(f"There is a key named {name!r} already.", hint="Choose another name, or revoke it.")
            key_id = _random(_ID_LETTERS, 8)
            while key_id in keys:
                key_id = _random(_ID_LETTERS, 8)
            token = f"{KEY_PREFIX}{key_id}_{_random(_SECRET_LETTERS, 43)}"
            digest = hashlib.sha256(token.encode()).hexdigest()
            now = datetime.now(UTC).replace(microsecond=0)
            key = ApiKey(key_id, name, frozenset(scopes), digest, now, expires_at, rate_limit, address_rate_limit)
            keys[key_id] = key
        return key, token

    def revoke(self, which: str) -> ApiKey:
        """Delete a key by its id or name. Raises InputError if there is none, ConfigurationError."""
        with self._writing() as keys:
            for key in list(keys.values()):
                if which in {key.id, key.name}:
                    del keys[key.id]
                    return key
            shown = redacted(which[:200])  # it may be a key by mistake
            raise InputError(f"There is no key {shown!r}.", hint="`assay keys list` lists all keys.")

    def _read(self) -> dict[str, ApiKey]:
        with self._lock:
            try:
                status = self._path.stat()
                stamp = (status.st_ino, status.st_mtime_ns, status.st_size)
                if stamp != self._loaded.stamp:
                    self._loaded = _Loaded(stamp, _parse(self._path.read_bytes(), self._path))
                    _warn_if_writable_by_others(self._path, status.st_mode)
            except FileNotFoundError:
                self._loaded = _Loaded(None, {})
            except OSError as error:
                raise ConfigurationError(
                    f"The API keys in {self._path} cannot be read: {error.strerror}.",
                    hint="Make the user that runs Assay the owner of the file.",
                ) from None
            return self._loaded.keys

    @contextmanager
    def _writing(self) -> Iterator[dict[str, ApiKey]]:
        """Lock the file and yield its keys; they are written when the block ends without an error."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{self._path}.lock", timeout=_LOCK_SECONDS, mode=0o600):
                keys = dict(self._read())
                yield keys
                self._write(keys)
        except Timeout:
            raise ConfigurationError(
                f"Another process has been changing the keys in {self._path} for {_LOCK_SECONDS:.0f} seconds.",
                hint="Try again when it is done.",
            ) from None
        except OSError as error:
            raise FileUnwritable(
                f"The API keys in {self._path} cannot be written: {error.strerror}.",
                hint="Free some space and run the command again; the keys are unchanged."
                if error.errno in {errno.ENOSPC, errno.EDQUOT}
                else "Choose another file with [server] keys_file.",
            ) from None

    def _write(self, keys: dict[str, ApiKey]) -> None:
        """Replace the file atomically."""
        content = json.dumps({"version": _VERSION, "keys": [_to_json(key) for key in keys.values()]}, indent=2)
        write_files({self._path: [f"{content}\n".encode()]}, private=True)


def _random(letters: str, length: int) -> str:
    return "".join(secrets.choice(letters) for _ in range(length))


def _to_json(key: ApiKey) -> dict[str, object]:
    return asdict(key) | {
        "scopes": sorted(key.scopes),
        "created_at": key.created_at.isoformat(),
        "expires_at": key.expires_at.isoformat() if key.expires_at else None,
    }


def _parse(content: bytes, path: Path) -> dict[str, ApiKey]:
    try:
        document = json.loads(content)
        if document["version"] != _VERSION:
            raise ValueError(f"it is of version {document['version']!r}, and this Assay reads version {_VERSION}")
        keys = [_from_json(entry) for entry in document["keys"]]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
        raise ConfigurationError(
            f"The API keys in {path} are damaged: {reason}. No key works until the file is repaired.",
            hint="Restore an earlier copy of the file, or delete it and create new keys with `assay keys add`.",
        ) from None
    return {key.id: key for key in keys}


def _from_json(entry: dict[str, Any]) -> ApiKey:
    key = ApiKey(
        id=entry["id"],
        name=entry["name"],
        scopes=frozenset(Scope(scope) for scope in entry["scopes"]),
        sha256=entry["sha256"],
        created_at=_moment(entry["created_at"]),
        expires_at=_moment(entry["expires_at"]) if entry.get("expires_at") else None,
        rate_limit=entry.get("rate_limit"),
        address_rate_limit=entry.get("address_rate_limit"),
    )
    if not re.fullmatch(r"[0-9a-f]{64}", key.sha256) or not re.fullmatch(r"[a-z0-9]{8}", key.id):
        raise ValueError("a key's id or sha256 is invalid")
    for limit in (key.rate_limit, key.address_rate_limit):
        if limit is not None and not re.fullmatch(RATE_LIMIT, limit):
            raise ValueError(f"{limit!r} is not a rate limit")
    return key


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"the time {text!r} has no zone")
    return moment


def _warn_if_writable_by_others(path: Path, mode: int) -> None:
    if os.name == "posix" and mode & 0o022:
        logger.warning("Other users can write the API keys in %s and could add one: run chmod 600 on it.", path)
