"""The elements that are open at a place of a page, and what that means for the text that comes.

Tags do not nest in the parser's tokens, so this is where an opening tag meets its closing one. Markdown's own
containers stand on the same stack: a tag never closes what was opened outside the list or quotation it is in.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from assay.ingest.markdown.links import MarkdownLinkResolver
from assay.ingest.markdown.tags import Role
from assay.ingest.text.inlines import Inline
from assay.ingest.text.normalized import NormalizedWriter
from assay.ingest.text.text_flow import TextFlow

_DEEPEST = 60


@dataclass(slots=True)
class _Element:
    """An open element. name: its tag's, a container's marks, or "" for Markdown's own; close: what its end does."""

    name: str
    role: Role | None
    close: Callable[[], None]


@dataclass(slots=True)
class _Code:
    """Code between tags: its text so far, as it is written."""

    language: str
    title: str
    parts: list[str] = field(default_factory=list)


class Elements(TextFlow):
    """Keeps track of what is open, and passes what is shown to the writer."""

    def __init__(self, writer: NormalizedWriter, links: MarkdownLinkResolver) -> None:
        super().__init__(writer, links.target)
        self._stack: list[_Element] = []
        self._open_names: dict[str, int] = {}
        self._code: _Code | None = None

    # --- what a page shows ---

    @property
    def collects_code(self) -> bool:
        """Whether what comes is code between tags."""
        return self._code is not None

    def text(self, content: str) -> None:
        """Running text."""
        if self._code is not None:
            self._code.parts.append(content)
        else:
            super().text(content)

    def verbatim(self, content: str) -> None:
        """Running text whose blanks stay as they are."""
        if self._code is not None:
            self._code.parts.append(content)
        else:
            super().verbatim(content)

    def line_break(self) -> None:
        """The line ends, its paragraph goes on."""
        if self._code is not None:
            self._code.parts.append("\n")
        else:
            super().line_break()

    def captured(self, produce: Callable[[], object]) -> Inline:
        """What produce passes on, in one run, also blocks; elements that it leaves open are closed."""
        self.open_container()
        captured = self.begin_run()
        produce()
        self.close_container()
        return self.end_run(captured)

    # --- what is open ---

    def is_open(self, name: str) -> bool:
        """Whether an element of this name is open anywhere."""
        return self._open_names.get(name, 0) > 0

    def push(self, name: str, role: Role | None, close: Callable[[], None]) -> None:
        """An element begins; `close` is called at its end."""
        self._stack.append(_Element(name, role, close))
        self._open_names[name] = self._open_names.get(name, 0) + 1

    def pop(self) -> _Element:
        """End the innermost element."""
        element = self._stack.pop()
        self._open_names[element.name] -= 1
        element.close()
        return element

    def close_named(self, is_meant: Callable[[str], bool]) -> None:
        """Close the innermost element that is meant, and all inside it, unless a Markdown container stands between."""
        for index in range(len(self._stack) - 1, -1, -1):
            name = self._stack[index].name
            if not name:
                return
            if is_meant(name):
                while len(self._stack) > index:
                    self.pop()
                return

    def innermost(self, *roles: Role) -> Role | None:
        """The innermost open element of these roles in the same Markdown container."""
        for element in reversed(self._stack):
            if not element.name:
                return None
            if element.role in roles:
                return element.role
        return None

    def close_open(self, role: Role, within: Role) -> None:
        """Close an element of this role that the next of its kind ends, e.g. a list item."""
        while self.innermost(role, within) is role:
            if self.pop().role is role:
                return

    # --- Markdown's own containers ---

    def open_container(self, close: Callable[[], None] | None = None) -> None:
        """A list, item, quotation or the like of Markdown's begins; `close` is called at its end."""
        self.flush()
        self.push("", None, close or (lambda: None))

    def close_container(self) -> None:
        """It ends, and with it every tag that was opened inside."""
        self.flush()
        while self._stack and self.pop().name:
            self.flush()

    def open_marked(self, marks: str, label: Inline, *, keep: bool) -> None:
        """A container between marks such as `:::` begins."""
        self.flush()
        self.open_labelled(marks, None, label, keep=keep)

    def close_marked(self, marks: str) -> None:
        """Marks such as `:::` close the innermost container that they can close."""
        self.flush()
        if marks.startswith(":"):
            self.close_named(lambda name: name.startswith(":::") and len(name) <= len(marks))
        else:
            self.close_named(lambda name: name == marks)

    def open_labelled_container(self, label: Inline, *, keep: bool) -> None:
        """A container of Markdown's with a label begins."""
        self.flush()
        self.open_labelled("", None, label, keep=keep)

    def close_all(self) -> None:
        """The source ends, and with it everything that is still open."""
        self.flush()
        while self._stack:
            self.pop()
            self.flush()

    def show_again(self) -> None:
        """End what hides text or collects code; used where a heading tells that the author forgot to."""
        self._hidden = 0
        self.end_code()

    # --- labels, captures, code ---

    def open_labelled(self, name: str, role: Role | None, label: Inline, *, keep: bool = True) -> None:
        """An element with a label begins. keep: whether to show the label also when nothing stands under it."""
        if label.text:
            self.label(label)
        self.push(name, role, lambda: self.close_label(label, keep=keep))

    def replace_close(self, role: Role, close: Callable[[], None]) -> None:
        """Change what the end of the innermost element of this role does."""
        for element in reversed(self._stack):
            if element.role is role:
                element.close = close
                return

    def hide(self) -> None:
        """What comes is not shown, until shown again."""
        self._hidden += 1

    def show(self) -> None:
        """What hid the text ends."""
        self._hidden = max(0, self._hidden - 1)

    def begin_code(self, language: str, title: str) -> bool:
        """What comes is code, to be kept as it is written. Returns False inside code."""
        if self._code is not None:
            return False
        self._code = _Code(language, title)
        return True

    def name_language(self, language: str) -> None:
        """The language of the code at hand, unless it is known."""
        if self._code is not None:
            self._code.language = self._code.language or language

    def end_code(self) -> None:
        """The code ends, and is shown."""
        code, self._code = self._code, None
        if code:
            self.code("".join(code.parts).strip("\n"), code.language, code.title)
