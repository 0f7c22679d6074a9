"""Descriptions of dataclass fields for JSON schemas."""


def described(text: str, **limits: object) -> dict[str, object]:
    """The metadata of a field: its description, and limits named as in pydantic, such as `ge=0`."""
    return {"description": text, **limits}
