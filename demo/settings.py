"""Typed settings of the app. Only this module reads them from the environment."""

from __future__ import annotations

import re
import secrets
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import parse_qs, urlsplit
from zipfile import is_zipfile

from platformdirs import user_data_path
from pydantic import Field, PrivateAttr, StringConstraints, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from fmp_models.estimators import DEFAULT_POSE_MODEL, POSE_MODELS

LOCAL_HOST = "127.0.0.1"
ANY_HOST = "0.0.0.0"  # noqa: S104 - a Space is reached from outside its container
LOCAL_HOST_6, ANY_HOST_6 = "[::1]", "::"
_THIS_MACHINE = frozenset({"localhost", LOCAL_HOST, LOCAL_HOST_6})
HUB_URL = "https://huggingface.co"
MIN_KEY_CHARS = 16  # characters
OWNER_PARAMETER = "owner"  # query parameter of the URL printed at startup

_SPACE_PORTS = frozenset({"80", "443", "8080"})  # a Space can reach no others
_PLACE = re.compile(r"(?P<host>\[[^]]+\]|[^:/]+)(:(?P<port>\d+))?")  # no match for the folder of a socket
_REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_HOST_NAME = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*")
_PARAMETER = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
_HUB_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}")


class SettingsError(Exception):
    """An unusable setting; the message is one sentence with the name of the setting and what it expects."""


class Settings(BaseSettings):
    """Settings from ``FMP_*`` variables, with safe defaults."""

    model_config = SettingsConfigDict(env_prefix="FMP_", env_ignore_empty=True, frozen=True, extra="ignore")

    pose_model: str = DEFAULT_POSE_MODEL  # name of a variant, or path of a file
    captioner: str = ""  # empty: the default of the page
    retriever: str = ""
    language_retriever: str = ""  # empty: none
    gallery: str = ""  # empty: none
    difference_captioner: str = ""  # empty: none
    editor: str = ""
    data_dir: Path = Field(default_factory=lambda: user_data_path("fixmypose"))
    host: str = LOCAL_HOST
    port: int = Field(default=7860, ge=1, le=65535)
    public_hosts: Annotated[frozenset[str], NoDecode] = frozenset()
    database_url: str = Field(default="", repr=False)  # empty: SQLite in the data folder
    dataset_repo: str = ""  # empty: a folder in the data folder
    publish_minutes: float = Field(default=10, ge=1, le=1440)
    campaign: str = "sample"
    close_models: bool = False
    admins: Annotated[frozenset[str], NoDecode] = frozenset()
    allow_guests: bool | None = None
    participant_parameters: str = "participant"
    batch_answers: int = Field(default=10, ge=1, le=1000)
    batch_seconds: float | None = Field(default=None, ge=0, le=86400)  # None: depends on the kinds of its answers
    contact: Annotated[str, StringConstraints(max_length=200, strip_whitespace=True, pattern=r"^\P{Cc}*$")] = ""
    pseudonym_key: str = Field(default="", repr=False)
    live_visitors: int = Field(default=3, ge=0, le=100)
    live_browser_visitors: int = Field(default=8, ge=0, le=1000)  # 10 frames/s of 12 ms each: one core
    uploads_mb: int = Field(default=1000, ge=1, le=1_000_000)
    code_url: str = ""
    models_url: str = ""
    data_url: str = ""  # not derived from dataset_repo, which is private until its owner publishes it
    space_id: str = Field(default="", validation_alias="SPACE_ID")
    space_host: str = Field(default="", validation_alias="SPACE_HOST")
    _token: str = PrivateAttr(default_factory=lambda: secrets.token_urlsafe(24))

    @field_validator("pose_model")
    @classmethod
    def _is_a_variant_or_a_file(cls, wanted: str) -> str:
        try:
            is_known = wanted in POSE_MODELS or is_zipfile(Path(wanted).expanduser())
        except (OSError, RuntimeError):
            is_known = False
        if not is_known:
            raise ValueError("is not a file of that kind")
        return wanted

    @field_validator("database_url")
    @classmethod
    def _is_of_postgresql(cls, url: str) -> str:
        parts = urlsplit(url)
        if url and (parts.scheme.split("+")[0] not in {"postgresql", "postgres"} or not parts.path.strip("/")):
            raise ValueError("is not the address of a database")
        return url

    @field_validator("dataset_repo")
    @classmethod
    def _is_a_repo(cls, repo: str) -> str:
        if repo and not _REPO.fullmatch(repo):
            raise ValueError("is not the name of a dataset")
        return repo

    @field_validator("admins", mode="before")
    @classmethod
    def _are_hub_names(cls, names: object) -> object:
        if not isinstance(names, str):
            return names
        listed = frozenset(name.strip() for name in names.split(",") if name.strip())
        if not all(_HUB_NAME.fullmatch(name) for name in listed):
            raise ValueError("are not names")
        return listed

    @field_validator("participant_parameters")
    @classmethod
    def _are_names_of_parameters(cls, names: str) -> str:
        listed = [name.strip() for name in names.split(",") if name.strip()]
        if not listed or not all(_PARAMETER.fullmatch(name) for name in listed):
            raise ValueError("are not names")
        return ",".join(listed)

    @field_validator("public_hosts", mode="before")
    @classmethod
    def _are_host_names(cls, names: object) -> object:
        if not isinstance(names, str):
            return names
        listed = frozenset(name.strip().lower().removesuffix(".") for name in names.split(",") if name.strip())
        if not all(_HOST_NAME.fullmatch(name) for name in listed):
            raise ValueError("are not names")
        return listed

    @field_validator("code_url", "models_url", "data_url")
    @classmethod
    def _is_of_a_page(cls, url: str) -> str:
        parts = urlsplit(url)
        if url and (parts.scheme != "https" or not _HOST_NAME.fullmatch(parts.hostname or "") or not url.isprintable()):
            raise ValueError("is not the address of a page")
        return url

    @field_validator("space_host")
    @classmethod
    def _is_lower(cls, name: str) -> str:
        return name.strip().lower()

    @field_validator("pseudonym_key")
    @classmethod
    def _is_long_enough(cls, key: str) -> str:
        if key and len(key) < MIN_KEY_CHARS:
            raise ValueError("is too short to be secret")
        return key

    @field_validator(
        "campaign", "captioner", "retriever", "language_retriever", "gallery", "difference_captioner", "editor"
    )
    @classmethod
    def _may_be_a_name(cls, name: str) -> str:
        """Return the stripped name; raise on a URL. Whether the name exists is checked at startup."""
        if "://" in name or not name.isprintable():
            raise ValueError("is not a name")
        return name.strip()

    @field_validator("data_dir")
    @classmethod
    def _can_be_a_folder(cls, path: Path) -> Path:
        try:
            path = path.expanduser()
            if path.exists() and not path.is_dir():
                raise ValueError("is not a folder")
        except (OSError, RuntimeError):  # RuntimeError: unknown user in "~user"
            raise ValueError("cannot be reached") from None
        return path

    @field_validator("host")
    @classmethod
    def _is_a_host(cls, host: str) -> str:
        if host != "localhost":
            ip_address(host)
        if "%" in host:
            raise ValueError("names a cable of this machine, which no address of a page can")
        return host

    @model_validator(mode="after")
    def _open_on_a_space(self) -> Self:
        if self.space_id and "host" not in self.model_fields_set:
            object.__setattr__(self, "host", ANY_HOST)
        return self

    @property
    def is_local(self) -> bool:
        """Whether the app is reachable only from this machine."""
        return not self.space_id and (self.host == "localhost" or ip_address(self.host).is_loopback)

    @property
    def links(self) -> dict[str, str]:
        """Known URLs of code, models and data for the footer of the page."""
        code = self.code_url or (f"{HUB_URL}/spaces/{self.space_id}/tree/main" if self.space_id else "")
        return {
            name: url for name, url in (("code", code), ("models", self.models_url), ("data", self.data_url)) if url
        }

    @property
    def owner_token(self) -> str:
        """Secret of this run that makes a guest on this machine the owner; empty if that is not allowed.

        It is empty if public hosts are set: they imply a proxy, and requests through a proxy may appear to come from
        this machine.
        """
        return self._token if self.is_local and not self.public_hosts else ""

    @property
    def takes_guests(self) -> bool:
        """Whether people may annotate without a login; if unset, they may everywhere except on a Space."""
        return not self.space_id if self.allow_guests is None else self.allow_guests

    @property
    def host_in_address(self) -> str:
        """The host as written in a URL: IPv6 addresses in brackets."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def address(self) -> str:
        """URL of the page for a browser on this machine."""
        host = {ANY_HOST: LOCAL_HOST, ANY_HOST_6: LOCAL_HOST_6}.get(self.host, self.host_in_address)
        return f"http://{host}:{self.port}"

    @property
    def owner_address(self) -> str:
        """URL to print at startup: that of the page, with the owner's token if there is one."""
        return f"{self.address}/?{OWNER_PARAMETER}={self.owner_token}" if self.owner_token else self.address


_EXPECTED = {
    "pose_model": f"{', '.join(POSE_MODELS)}, or the path of MediaPipe's pose_landmarker .task file",
    "captioner": "geometry, a bundled captioner, a folder, or org/name@revision on the Hub",
    "retriever": "a bundled retriever, a folder, or org/name@revision on the Hub",
    "language_retriever": "a retriever without the current picture: a folder, or org/name@revision on the Hub",
    "gallery": "a dataset folder or DATASET:SPLIT, a folder of pictures, or a file of measure",
    "difference_captioner": "a captioner without joints: a folder, or org/name@revision on the Hub",
    "editor": "rules, a bundled editor, a folder, or org/name@revision on the Hub",
    "data_dir": "the path of a folder that exists or can be created",
    "host": "an IP address such as 127.0.0.1",
    "port": "a number from 1 to 65535",
    "public_hosts": "names such as poses.example.org, without ports, separated by commas",
    "database_url": "the address of a PostgreSQL database such as postgresql://user@host/name",
    "dataset_repo": "the name of a dataset on the Hub such as org/name",
    "publish_minutes": "a number from 1 to 1440",
    "campaign": "a campaign that comes with the project, the path of its folder, or org/name@revision on the Hub",
    "close_models": "true or false",
    "admins": "user names on the Hub, separated by commas",
    "allow_guests": "true or false",
    "participant_parameters": "names of URL parameters such as participant, separated by commas",
    "batch_answers": "a number of answers from 1 to 1000",
    "batch_seconds": "a number of seconds from 0 to 86400",
    "contact": "one line of at most 200 characters, such as a name and an e-mail address",
    "code_url": "the https address of a page",
    "models_url": "the https address of a page",
    "data_url": "the https address of a page",
    "live_visitors": "a number of people from 0 to 100",
    "live_browser_visitors": "a number of people from 0 to 1000",
    "uploads_mb": "a number of megabytes from 1 to 1000000",
    "pseudonym_key": f"a secret of at least {MIN_KEY_CHARS} characters",
}
_SECRET = frozenset({"database_url", "pseudonym_key"})


def read_settings() -> Settings:
    """Read the settings from the environment; raise :class:`SettingsError` for the first unusable value."""
    try:
        settings = Settings()
    except ValidationError as error:
        problem = error.errors()[0]
        name = str(problem["loc"][0]).removeprefix("FMP_").lower()
        received = "" if name in _SECRET else f", not “{problem['input']}”"
        raise SettingsError(f"FMP_{name.upper()} must be {_EXPECTED[name]}{received}.") from None
    if settings.space_id and (ports := _database_ports(settings.database_url) - _SPACE_PORTS):
        raise SettingsError(
            f"FMP_DATABASE_URL names port {min(ports)}, but a Space can reach ports 80, 443 and 8080 only; see "
            "docs/space.md."
        )
    return settings


def _database_ports(url: str) -> set[str]:
    """Return the ports of a database's address, without those of this machine."""
    parts = urlsplit(url)
    query = parse_qs(parts.query)
    hosts = [*parts.netloc.rpartition("@")[2].split(","), *query.get("host", [])]
    places = [found for found in map(_PLACE.fullmatch, hosts) if found and found["host"] not in _THIS_MACHINE]
    return {found["port"] or query.get("port", ["5432"])[0] for found in places}
