"""The routes of a Qdrant peer, without sockets: a request in, a status and a JSON body out."""
# ruff: noqa: ANN401 - JSON

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tests.peers.qdrant_engine import Collection, Json, Refusal

VERSION = "1.19.0"
_MOST_BYTES = 32 * 1024 * 1024


class Database:
    """All collections and aliases below one folder. Safe to use from several threads."""

    def __init__(self, folder: Path, *, version: str = VERSION, yellow: int = 2, drowsy: bool = False) -> None:
        self.folder = folder
        self.version = version
        self.yellow = yellow
        self.strict: Json = {}
        self.missing_replicas = 0
        self._lock = threading.RLock()
        (folder / "collections").mkdir(parents=True, exist_ok=True)
        self._aliases_file = folder / "aliases.json"
        self._aliases: dict[str, str] = (
            json.loads(self._aliases_file.read_text()) if self._aliases_file.exists() else {}
        )
        self._collections = {}
        for path in sorted((folder / "collections").iterdir()):
            if (path / "collection.json").exists():
                self._collections[path.name] = Collection.load(path)
                self._collections[path.name].drowsy = drowsy

    def close(self) -> None:
        """Let go of the files; what was confirmed is there."""
        with self._lock:
            for collection in self._collections.values():
                collection.close()

    def answer(self, method: str, path: str, query: Mapping[str, str], raw: bytes) -> Any:
        """The `result` of a request. Raises Refusal."""
        if len(raw) > _MOST_BYTES:
            raise Refusal(
                413, f"Payload error: JSON payload ({len(raw)} bytes) is larger than allowed ({_MOST_BYTES})."
            )
        try:
            body = json.loads(raw) if raw else {}
        except ValueError as error:
            raise Refusal(400, f"Format error in JSON body: {error}") from None
        parts = [unquote(part) for part in path.strip("/").split("/")]
        match method, parts:
            case "GET", ["collections"]:
                return {"collections": [{"name": name} for name in sorted(self._collections)]}
            case "GET", ["aliases"]:
                return {"aliases": self._described(None)}
            case "POST", ["collections", "aliases"]:
                return self._change_aliases(body["actions"])
            case "GET", ["cluster"]:
                return {"status": "disabled"}
            case _, ["collections", name]:
                return self._on_collection(method, name, body)
            case _, ["collections", name, *rest]:
                return self._in_collection(method, name, rest, body)
        raise Refusal(404, "Not found")

    def _on_collection(self, method: str, name: str, body: Json) -> Any:
        match method:
            case "GET":
                return self.collection(name).info()
            case "PUT":
                return self._create(name, body)
            case "PATCH":
                self.collection(name).update(body, self.yellow)
                return True
            case "DELETE":
                return self._delete(name)
        raise Refusal(405, "Method not allowed")

    def _in_collection(self, method: str, name: str, rest: list[str], body: Json) -> Any:  # noqa: C901, PLR0911, PLR0912 - a table
        match method, rest:
            case "GET", ["exists"]:
                return {"exists": name in self._collections or name in self._aliases}
            case "GET", ["aliases"]:
                return {"aliases": self._described(name)}
            case "GET", ["cluster"]:
                return self.collection(name).cluster(self.missing_replicas)
            case "PUT", ["index"]:
                self.collection(name).index(body["field_name"], body.get("field_schema") or "keyword")
                return _DONE
            case "PUT", ["points"]:
                self.collection(name).upsert(_points(body))
                return _DONE
            case "POST", ["points"]:
                return self.collection(name).retrieve(body)
            case "POST", ["points", "delete"]:
                self.collection(name).delete(body["points"])
                return _DONE
            case "POST", ["points", "scroll"]:
                return self.collection(name).scroll(body)
            case "POST", ["points", "count"]:
                return {"count": self.collection(name).count(body)}
            case "POST", ["points", "query"]:
                return self.collection(name).query([body])[0]
            case "POST", ["points", "query", "batch"]:
                return self.collection(name).query(body["searches"])
            case "POST", ["points", "batch"]:
                for operation in body["operations"]:
                    self.collection(name).upsert(_points(operation["upsert"]))
                return [_DONE for _ in body["operations"]]
        raise Refusal(404, "Not found")

    def collection(self, name: str) -> Collection:
        found = self._collections.get(self._aliases.get(name, name))
        if found is None:
            raise Refusal(404, f"Not found: Collection `{name}` doesn't exist!")
        return found

    def _create(self, name: str, body: Json) -> bool:
        with self._lock:
            if name in self._collections:
                raise Refusal(409, f"Wrong input: Collection `{name}` already exists!")
            if name in self._aliases:
                raise Refusal(
                    409, f"Wrong input: Can't create collection with name {name}. Alias with the same name exists"
                )
            strict = {**self.strict, **(body.get("strict_mode_config") or {})}
            definition = {**body, **({"strict_mode_config": strict} if strict else {})}
            folder = self.folder / "collections" / name
            self._collections[name] = Collection.create(folder, definition)
        return True

    def _delete(self, name: str) -> bool:
        with self._lock:
            collection = self._collections.pop(name, None)
            if collection is None:
                return False
            self._aliases = {alias: target for alias, target in self._aliases.items() if target != name}
            self._save_aliases()
            collection.remove()
        return True

    def _change_aliases(self, actions: list[Json]) -> bool:
        with self._lock:
            changed = dict(self._aliases)
            for action in actions:
                if "delete_alias" in action:
                    changed.pop(action["delete_alias"]["alias_name"], None)
                    continue
                wanted = action["create_alias"]
                if wanted["collection_name"] not in self._collections:
                    raise Refusal(404, f"Not found: Collection `{wanted['collection_name']}` doesn't exist!")
                if wanted["alias_name"] in self._collections:
                    raise Refusal(409, f"Wrong input: Collection `{wanted['alias_name']}` already exists!")
                changed[wanted["alias_name"]] = wanted["collection_name"]
            self._aliases = changed
            self._save_aliases()
        return True

    def _described(self, name: str | None) -> list[Json]:
        return [
            {"alias_name": alias, "collection_name": target}
            for alias, target in sorted(self._aliases.items())
            if name in (None, target)
        ]

    def _save_aliases(self) -> None:
        draft = self._aliases_file.with_suffix(".draft")
        draft.write_text(json.dumps(self._aliases))
        draft.replace(self._aliases_file)


_DONE: Json = {"operation_id": 0, "status": "completed"}


def _points(body: Json) -> list[Json]:
    """The points of an upsert, given one by one or in columns."""
    if "points" in body:
        listed: list[Json] = body["points"]
        return listed
    batch = body["batch"]
    vectors, payloads = batch["vectors"], batch.get("payloads") or [None] * len(batch["ids"])
    return [
        {
            "id": point_id,
            "vector": {name: column[row] for name, column in vectors.items()}
            if isinstance(vectors, dict)
            else vectors[row],
            "payload": payloads[row],
        }
        for row, point_id in enumerate(batch["ids"])
    ]
