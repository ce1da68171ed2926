"""What a small Hub holds, and how it answers the real client's requests; ``hub_server`` speaks HTTP for it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qs, unquote

WRITER = "hf_writer"  # may read and write every repo
READER = "hf_reader"  # may read what is neither private nor gated, and write nothing
LARGE = (".safetensors", ".parquet", ".png", ".jpg", ".bin")
REGULAR_BYTES = 10_000_000  # a file that is longer is a large one, whatever its name


@dataclass(frozen=True)
class StoredFile:
    """One file of a commit; a large one is known by its SHA-256, a regular one as git knows it."""

    data: bytes
    large: bool

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def blob_id(self) -> str:
        kept = self.data
        if self.large:
            kept = f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.sha256}\n".encode()
        return hashlib.sha1(b"blob %d\0" % len(kept) + kept, usedforsecurity=False).hexdigest()

    @property
    def etag(self) -> str:
        return self.sha256 if self.large else self.blob_id

    def lfs(self, oid: str) -> dict[str, object]:
        """Return the listing of a large file; listings differ in the name of its hash."""
        return {"lfs": {oid: self.sha256, "size": len(self.data), "pointerSize": 134}} if self.large else {}


@dataclass(frozen=True)
class Commit:
    sha: str
    title: str
    files: dict[str, StoredFile]


@dataclass
class Repo:
    """A repo with its ``commits``, oldest first, and its ``refs``: other branches and tags, each with its commit."""

    kind: str
    name: str
    private: bool = False
    gated: bool = False
    sdk: str | None = None
    hardware: str | None = None
    variables: dict[str, str] = field(default_factory=dict)
    commits: list[Commit] = field(default_factory=list)
    refs: dict[str, str] = field(default_factory=dict)

    @property
    def head(self) -> Commit:
        return self.commits[-1]

    def at(self, revision: str) -> Commit:
        """Raise ``Refusal`` where there is no such branch, tag or commit."""
        sha = self.head.sha if revision == "main" else self.refs.get(revision, revision)
        for commit in self.commits:
            if commit.sha == sha:
                return commit
        raise Refusal(404, "RevisionNotFound", f"Invalid rev id: {revision}")

    def commit(self, title: str, files: Mapping[str, StoredFile | None]) -> Commit:
        """Add a commit on ``main``: files that are new or changed, and None for those that go."""
        changed = {**(self.head.files if self.commits else {}), **files}
        kept = {path: file for path, file in sorted(changed.items()) if file is not None}
        commit_text = json.dumps(
            [[commit.sha for commit in self.commits], title, {path: kept[path].etag for path in kept}]
        )
        self.commits.append(Commit(hashlib.sha1(commit_text.encode(), usedforsecurity=False).hexdigest(), title, kept))
        return self.head


@dataclass(frozen=True)
class Request:
    """What was asked; ``path`` is without its query, and as it was sent: a slash in a revision is %2F in it."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: Mapping[str, str]
    body: bytes

    @property
    def token(self) -> str | None:
        return self.headers.get("Authorization", "").removeprefix("Bearer ") or None

    def json(self) -> dict[str, object]:
        return json.loads(self.body)


@dataclass(frozen=True)
class Address:
    """What an address says of the repo it is about."""

    name: str = ""
    kind: str = "model"
    revision: str = "main"
    path: str = ""


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    length: int | None = None  # of a body that a HEAD leaves out


class Refusal(Exception):  # noqa: N818  what the Hub says no with
    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        headers = {"X-Error-Message": message, "Content-Type": "application/json"}
        if code:
            headers["X-Error-Code"] = code
        self.answer = Answer(status, json.dumps({"error": message}).encode(), headers)


class Hub:
    """What a Hub holds: repos by kind and name, the bytes of large files by their SHA-256."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.repos: dict[tuple[str, str], Repo] = {}
        self.large_files: dict[str, bytes] = {}
        self.page_size = 1000
        self.storage: str | None = None  # the address of a Xet storage that large files are said to lie in
        self.lock = threading.RLock()

    def add_repo(self, name: str, files: Mapping[str, bytes] | None = None, kind: str = "model", **of: bool) -> Repo:
        """Give a repo as the Hub makes it, with a first commit of its own, and a second one with ``files``."""
        repo = self.repos[kind, name] = Repo(kind, name, **of)
        repo.commit("initial commit", {".gitattributes": StoredFile(b"*.safetensors filter=lfs\n", large=False)})
        if files:
            self.change(repo, files)
        return repo

    def change(self, repo: Repo, files: Mapping[str, bytes]) -> Commit:
        """Commit as another user, from another machine."""
        stored = {path: StoredFile(data, is_large(path, len(data))) for path, data in files.items()}
        self.large_files |= {file.sha256: file.data for file in stored.values() if file.large}
        return repo.commit("files", stored)


def is_large(path: str, size: int) -> bool:
    return path.endswith(LARGE) or size > REGULAR_BYTES


def _repo(hub: Hub, request: Request, at: Address, *, write: bool = False) -> Repo:
    """Return the repo if the token may see it; the Hub answers for a private one as for a missing one."""
    if request.token not in {None, WRITER, READER}:
        raise Refusal(401, "", "Invalid credentials in Authorization header")
    repo = hub.repos.get((at.kind, at.name))
    if repo is None or (repo.private and request.token != WRITER):
        raise Refusal(401 if request.token is None else 404, "RepoNotFound", "Repository not found")
    if write and request.token != WRITER:
        raise Refusal(403, "", "You don't have the rights to write to this repo")
    return repo


def _said(content: object, **headers: str) -> Answer:
    return Answer(200, json.dumps(content).encode(), {"Content-Type": "application/json", **headers})


def _listed(path: str, file: StoredFile) -> dict[str, object]:
    return {"type": "file", "path": path, "size": len(file.data), "oid": file.blob_id, **file.lfs("oid")}


def _create(hub: Hub, request: Request, _: Address) -> Answer:
    asked = request.json()
    kind, name = str(asked.get("type", "model")), f"{asked['organization']}/{asked['name']}"
    if request.token != WRITER:
        raise Refusal(401 if request.token is None else 403, "", "You don't have the rights to create this repo")
    url = f"{hub.url}/{'' if kind == 'model' else f'{kind}s/'}{name}"
    if (kind, name) in hub.repos:
        return Answer(409, json.dumps({"error": "You already created this repo", "url": url}).encode())
    repo = hub.add_repo(name, kind=kind, private=asked.get("visibility") == "private")
    repo.sdk, repo.hardware = asked.get("sdk"), asked.get("hardware", "cpu-basic")
    repo.variables = {variable["key"]: variable["value"] for variable in asked.get("variables", [])}
    return _said({"url": url, "name": name})


def _info(hub: Hub, request: Request, at: Address) -> Answer:
    repo = _repo(hub, request, at)
    commit = repo.at(at.revision)
    siblings = [
        {"rfilename": path, **({"size": len(f.data), "blobId": f.blob_id, **f.lfs("sha256")} if request.query else {})}
        for path, f in commit.files.items()
    ]
    of = {"private": repo.private, "gated": "manual" if repo.gated else False, "sdk": repo.sdk}
    return _said({"id": at.name, "sha": commit.sha, "siblings": siblings, "tags": [], **of})


def _space(hub: Hub, request: Request, at: Address) -> Answer:
    """Change or tell the hardware or a variable of a Space."""
    repo = _repo(hub, request, at, write=request.method == "POST")
    if request.method == "POST" and at.path == "hardware":
        repo.hardware = str(request.json()["flavor"])
    elif request.method == "POST":
        repo.variables[str(request.json()["key"])] = str(request.json()["value"])
    if at.path == "variables":
        return _said({name: {"key": name, "value": value} for name, value in repo.variables.items()})
    return _said({"stage": "BUILDING", "hardware": {"current": None, "requested": repo.hardware}})


def _tree(hub: Hub, request: Request, at: Address) -> Answer:
    files = _repo(hub, request, at).at(at.revision).files
    inside = f"{at.path}/" if at.path else ""
    listed: dict[str, dict[str, object]] = {}
    for path, file in files.items():
        rest = path.removeprefix(inside)
        if not path.startswith(inside):
            continue
        for end in (i for i, letter in enumerate(rest) if letter == "/"):
            folder = inside + rest[:end]
            listed[folder] = {"type": "directory", "path": folder, "size": 0, "oid": "0" * 40}
        listed[path] = _listed(path, file)
    if inside and not listed:
        raise Refusal(404, "EntryNotFound", f"{at.path} does not exist on {at.revision}")
    deep = request.query.get("recursive", ["false"])[0].lower() == "true"
    rows = [row for path, row in sorted(listed.items()) if deep or "/" not in path.removeprefix(inside)]
    start = int(request.query.get("cursor", ["0"])[0])
    stop = start + hub.page_size
    query = f"recursive={str(deep).lower()}&cursor={stop}"
    link = {"Link": f'<{hub.url}{request.path}?{query}>; rel="next"'} if stop < len(rows) else {}
    return _said(rows[start:stop], **link)


def _paths_info(hub: Hub, request: Request, at: Address) -> Answer:
    files = _repo(hub, request, at).at(at.revision).files
    paths = parse_qs(request.body.decode()).get("paths", [])
    return _said([_listed(path, files[path]) for path in paths if path in files])


def _preupload(hub: Hub, request: Request, at: Address) -> Answer:
    files = _repo(hub, request, at, write=True).at(at.revision).files
    modes = []
    for asked in request.json()["files"]:
        path = asked["path"]
        mode = "lfs" if is_large(path, asked["size"]) else "regular"
        known = {"oid": files[path].etag} if path in files else {}
        modes.append({"path": path, "uploadMode": mode, "shouldIgnore": False, **known})
    return _said({"files": modes})


def _batch(hub: Hub, request: Request, at: Address) -> Answer:
    _repo(hub, request, at, write=True)
    objects = []
    for asked in request.json()["objects"]:
        lacking = asked["oid"] not in hub.large_files
        upload = {"actions": {"upload": {"href": f"{hub.url}/large/{asked['oid']}"}}} if lacking else {}
        objects.append({"oid": asked["oid"], "size": asked["size"], **upload})
    return _said({"transfer": "basic", "objects": objects})


def _put(hub: Hub, request: Request, at: Address) -> Answer:
    if hashlib.sha256(request.body).hexdigest() != at.path:
        raise Refusal(400, "", "The content has another hash")
    hub.large_files[at.path] = request.body
    return Answer()


def _commit(hub: Hub, request: Request, at: Address) -> Answer:
    repo = _repo(hub, request, at, write=True)
    if at.revision != "main":
        raise Refusal(400, "", "This Hub takes commits on main alone")
    lines = [json.loads(line) for line in request.body.splitlines()]
    header = lines[0]["value"]
    if header.get("parentCommit", repo.head.sha) != repo.head.sha:
        raise Refusal(412, "", "A commit has happened since. Please refresh and try again.")
    changes: dict[str, StoredFile | None] = {}
    for line in lines[1:]:
        path, value = line["value"]["path"], line["value"]
        if line["key"] == "file":
            changes[path] = StoredFile(base64.b64decode(value["content"]), large=False)
        elif line["key"] == "lfsFile":
            if value["oid"] not in hub.large_files:
                raise Refusal(400, "", f"{path} points to a large file that was never sent")
            changes[path] = StoredFile(hub.large_files[value["oid"]], large=True)
        else:
            inside = f"{path.rstrip('/')}/" if line["key"] == "deletedFolder" else None
            gone = [p for p in repo.head.files if (p == path if inside is None else p.startswith(inside))]
            if not gone:
                raise Refusal(404, "EntryNotFound", "A file with this name doesn't exist")
            changes |= dict.fromkeys(gone)
    commit = repo.commit(header["summary"], changes)
    return _said({"success": True, "commitOid": commit.sha, "commitUrl": f"{hub.url}/{at.name}/commit/{commit.sha}"})


def _validate(_: Hub, request: Request, _at: Address) -> Answer:
    content = str(request.json()["content"])
    if content.startswith("---\n") and "\n---" not in content[4:]:
        errors = [{"message": "the front matter has no end"}]
        return Answer(400, json.dumps({"errors": errors, "warnings": []}).encode())
    return _said({"errors": [], "warnings": []})


def _resolve(hub: Hub, request: Request, at: Address) -> Answer:
    repo = _repo(hub, request, at)
    if repo.gated and request.token != WRITER:
        message = f"Access to {repo.kind} {at.name} is restricted. You must be authenticated to access it."
        raise Refusal(401 if request.token is None else 403, "GatedRepo", message)
    commit = repo.at(at.revision)
    if at.path not in commit.files:
        raise Refusal(404, "EntryNotFound", "Entry not found")
    file = commit.files[at.path]
    headers = {"ETag": f'"{file.etag}"', "X-Repo-Commit": commit.sha, "Accept-Ranges": "bytes"}
    if file.large and hub.storage:
        token = f"{hub.url}/api/{repo.kind}s/{at.name}/xet-read-token/{commit.sha}"
        headers |= {"X-Xet-Hash": file.sha256, "Link": f'<{token}>; rel="xet-auth"'}
    if request.method == "HEAD":
        return Answer(200, b"", headers, len(file.data))
    wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("Range", ""))
    if wanted is None:
        return Answer(200, file.data, headers)
    start, size = int(wanted[1]), len(file.data)
    if start >= size:
        return Answer(416, b"", {**headers, "Content-Range": f"bytes */{size}"})
    part = file.data[start : int(wanted[2]) + 1 if wanted[2] else size]
    return Answer(206, part, {**headers, "Content-Range": f"bytes {start}-{start + len(part) - 1}/{size}"})


def _xet_token(hub: Hub, request: Request, at: Address) -> Answer:
    _repo(hub, request, at)
    expires = int(time.time()) + 999
    token = {"casUrl": hub.storage, "accessToken": "read", "exp": expires}
    headers = {"X-Xet-Cas-Url": str(hub.storage), "X-Xet-Access-Token": "read", "X-Xet-Token-Expiration": str(expires)}
    return _said(token, **headers)


_REPO = r"(?P<name>[^/]+/[^/]+?)"
_API = rf"/api/(?P<kind>model|dataset|space)s/{_REPO}"
_PAGE = rf"/(?:(?P<kind>dataset|space)s/)?{_REPO}"  # as a browser has it: a model has no prefix
_FILE = rf"{_PAGE}/resolve/(?P<revision>[^/]+)/(?P<path>.+)"
_ROUTES: list[tuple[str, str, Callable[[Hub, Request, Address], Answer]]] = [
    ("POST", "/api/repos/create", _create),
    ("POST", "/api/validate-yaml", _validate),
    ("GET", rf"{_API}(?:/revision/(?P<revision>[^/]+))?", _info),
    ("GET", rf"{_API}/(?P<path>runtime|variables)", _space),
    ("POST", rf"{_API}/(?P<path>hardware|variables)", _space),
    ("GET", rf"{_API}/tree/(?P<revision>[^/]+)(?:/(?P<path>.+))?", _tree),
    ("GET", rf"{_API}/xet-read-token/(?P<revision>[^/]+)", _xet_token),
    ("POST", rf"{_API}/paths-info/(?P<revision>[^/]+)", _paths_info),
    ("POST", rf"{_API}/preupload/(?P<revision>[^/]+)", _preupload),
    ("POST", rf"{_API}/commit/(?P<revision>[^/]+)", _commit),
    ("POST", rf"{_PAGE}\.git/info/lfs/objects/batch", _batch),
    ("PUT", "/large/(?P<path>[0-9a-f]{64})", _put),
    ("HEAD", _FILE, _resolve),
    ("GET", _FILE, _resolve),
]


def answer(hub: Hub, request: Request) -> Answer:
    """Return the complete Hub; each request takes effect on its own."""
    for method, pattern, route in _ROUTES:
        if method == request.method and (match := re.fullmatch(pattern, request.path)):
            parts = {part: unquote(value) for part, value in match.groupdict().items() if value is not None}
            with hub.lock:
                try:
                    return route(hub, request, Address(**parts))
                except Refusal as refusal:
                    return refusal.answer
    return Answer(404, b'{"error": "this Hub does not know that address"}')
