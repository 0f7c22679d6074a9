"""Properties that are computed once, also if several threads ask at the same time."""

from functools import cached_property
from threading import RLock
from typing import Any, Self, TypeVar, overload

T = TypeVar("T")


class LockedProperty(cached_property[T]):
    """A cached_property that one thread computes while the others wait. functools' has no lock from Python 3.12 on.

    Each has a lock of its own, so that a model that loads for seconds delays only those who need it.
    """

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Self | T:
        """The value, computed by the first call for this instance."""
        if instance is None:
            return self
        with instance.__dict__.setdefault(f"_lock_of_{self.attrname}", RLock()):  # setdefault is atomic
            return super().__get__(instance, owner)
