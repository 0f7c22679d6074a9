"""Descriptions of a dataclass's fields, for the JSON schema of a shape that has it as a part."""


def described(text: str, **limits: object) -> dict[str, object]:
    """The metadata of a field: its description, and limits by their names in pydantic, as in `ge=0`."""
    return {"description": text, **limits}
