"""Every setting of the app, typed, read once from the environment; no other module reads it."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path
from typing import Self

from platformdirs import user_data_path
from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

LOCAL_HOST = "127.0.0.1"
ANY_HOST = "0.0.0.0"  # noqa: S104 - a Space is reached from outside its container


class SettingsError(Exception):
    """A setting cannot be used; the message is one sentence that says which and what is expected."""


class Settings(BaseSettings):
    """``FMP_*`` variables with safe defaults."""

    model_config = SettingsConfigDict(env_prefix="FMP_", env_ignore_empty=True, frozen=True, extra="ignore")

    pose_model: Path | None = None
    captioner: str = ""  # the default of the page where it is empty
    retriever: str = ""
    data_dir: Path = Field(default_factory=lambda: user_data_path("fixmypose"))
    host: str = LOCAL_HOST
    port: int = Field(default=7860, ge=1, le=65535)
    space_id: str = Field(default="", validation_alias="SPACE_ID")

    @field_validator("pose_model")
    @classmethod
    def _is_a_file(cls, path: Path | None) -> Path | None:
        if path is not None and not path.expanduser().is_file():
            message = "is not a file"
            raise ValueError(message)
        return path and path.expanduser()

    @field_validator("captioner", "retriever")
    @classmethod
    def _may_name_a_model(cls, model: str) -> str:
        """What it names is looked for when the app starts; an address of the Hub's pages is no name."""
        if "://" in model or not model.isprintable():
            message = "is no name"
            raise ValueError(message)
        return model.strip()

    @field_validator("data_dir")
    @classmethod
    def _can_be_a_folder(cls, path: Path) -> Path:
        path = path.expanduser()
        if path.exists() and not path.is_dir():
            message = "is not a folder"
            raise ValueError(message)
        return path

    @field_validator("host")
    @classmethod
    def _is_a_host(cls, host: str) -> str:
        if host != "localhost":
            ip_address(host)
        return host

    @model_validator(mode="after")
    def _open_on_a_space(self) -> Self:
        if self.space_id and "host" not in self.model_fields_set:
            object.__setattr__(self, "host", ANY_HOST)
        return self

    @property
    def address(self) -> str:
        """Where a browser on this machine finds the page."""
        host = LOCAL_HOST if self.host == ANY_HOST else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


_EXPECTED = {
    "pose_model": "the path of MediaPipe's pose_landmarker .task file",
    "captioner": "geometry, a bundled captioner, a folder, or org/name@revision of the Hub",
    "retriever": "a bundled retriever, a folder, or org/name@revision of the Hub",
    "data_dir": "the path of a folder, or of one that can be made",
    "host": "an IP address such as 127.0.0.1",
    "port": "a number from 1 to 65535",
}


def read_settings() -> Settings:
    """Read the environment; raise :class:`SettingsError` for the first value that cannot be used."""
    try:
        return Settings()
    except ValidationError as error:
        problem = error.errors()[0]
        name = str(problem["loc"][0]).removeprefix("FMP_").lower()
        message = f"FMP_{name.upper()} must be {_EXPECTED[name]}, not “{problem['input']}”."
        raise SettingsError(message) from None
