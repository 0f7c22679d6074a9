"""The stack of open elements, and its effect on the following text.

Tags do not nest in the parser's tokens, so opening and closing tags are matched here. Markdown's own containers are on
the same stack: a tag never closes an element outside its list or quotation.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from assay.ingest.markdown.links import MarkdownLinkResolver
from assay.ingest.markdown.tags import Role
from assay.ingest.text.inlines import Inline
from assay.ingest.text.normalized import NormalizedWriter
from assay.ingest.text.text_flow import TextFlow


@dataclass(slots=True)
class _Element:
    """An open element. name: its tag's, a container's marks, or "" for Markdown's own. close: called at its end."""

    name: str
    role: Role | None
    close: Callable[[], None]


@dataclass(slots=True)
class _Code:
    """Code between tags: its unchanged text so far."""

    language: str
    title: str
    parts: list[str] = field(default_factory=list)


class Elements(TextFlow):
    """Tracks open elements and passes visible text to the writer."""

    def __init__(self, writer: NormalizedWriter, links: MarkdownLinkResolver) -> None:
        super().__init__(writer, links.target)
        self._stack: list[_Element] = []
        self._open_names: dict[str, int] = {}
        self._code: _Code | None = None

    # --- content ---

    @property
    def collects_code(self) -> bool:
        """Whether code between tags is being collected."""
        return self._code is not None

    def text(self, content: str) -> None:
        """Add inline text."""
        if self._code is not None:
            self._code.parts.append(content)
        else:
            super().text(content)

    def verbatim(self, content: str) -> None:
        """Add inline text with unchanged whitespace."""
        if self._code is not None:
            self._code.parts.append(content)
        else:
            super().verbatim(content)

    def line_break(self) -> None:
        """Break the line inside a paragraph."""
        if self._code is not None:
            self._code.parts.append("\n")
        else:
            super().line_break()

    def captured(self, produce: Callable[[], object]) -> Inline:
        """Call `produce` and return its output as inline text; elements that it leaves open are closed."""
        self.open_container()
        captured = self.begin_run()
        produce()
        self.close_container()
        return self.end_run(captured)

    def captured_text(self, content: str) -> Inline:
        """As `captured` of `text`, in a fifth of the time: most cells of tables are plain text."""
        self.flush()
        if self._hidden or self._mark or self._code is not None:
            return self.captured(lambda: self.text(content))
        self.buffer.text(content)
        return self.buffer.take()

    # --- open elements ---

    def is_open(self, name: str) -> bool:
        """Whether an element of this name is open."""
        return self._open_names.get(name, 0) > 0

    def push(self, name: str, role: Role | None, close: Callable[[], None]) -> None:
        """Open an element; `close` is called at its end."""
        self._stack.append(_Element(name, role, close))
        self._open_names[name] = self._open_names.get(name, 0) + 1

    def pop(self) -> _Element:
        """Close the innermost element."""
        element = self._stack.pop()
        self._open_names[element.name] -= 1
        element.close()
        return element

    def close_named(self, is_meant: Callable[[str], bool]) -> None:
        """Close the innermost matching element and all inside it, but nothing outside a Markdown container."""
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
        """Close an element of this role that the next one of its kind ends, e.g. a list item."""
        while self.innermost(role, within) is role:
            if self.pop().role is role:
                return

    # --- Markdown's own containers ---

    def open_container(self, close: Callable[[], None] | None = None) -> None:
        """Open a Markdown list, item, quotation or the like; `close` is called at its end."""
        self.flush()
        self.push("", None, close or (lambda: None))

    def close_container(self) -> None:
        """Close it and every tag opened inside."""
        self.flush()
        while self._stack and self.pop().name:
            self.flush()

    def open_marked(self, marks: str, label: Inline, *, keep: bool) -> None:
        """Open a container between marks such as `:::`."""
        self.flush()
        self.open_labelled(marks, None, label, keep=keep)

    def close_marked(self, marks: str) -> None:
        """Close the innermost container that these marks can close."""
        self.flush()
        if marks.startswith(":"):
            self.close_named(lambda name: name.startswith(":::") and len(name) <= len(marks))
        else:
            self.close_named(lambda name: name == marks)

    def open_labelled_container(self, label: Inline, *, keep: bool) -> None:
        """Open a Markdown container with a label."""
        self.flush()
        self.open_labelled("", None, label, keep=keep)

    def close_all(self) -> None:
        """Close everything at the end of the source."""
        self.flush()
        while self._stack:
            self.pop()
            self.flush()

    def reset_hidden(self) -> None:
        """Stop hiding text and collecting code, because a heading shows that the author forgot to close a tag."""
        self._hidden = 0
        self.end_code()

    # --- labels, captures, code ---

    def open_labelled(self, name: str, role: Role | None, label: Inline, *, keep: bool = True) -> None:
        """Open an element with a label. keep: write the label even if the element is empty."""
        if label.text:
            self.label(label)
        self.push(name, role, lambda: self.close_label(label, keep=keep))

    def replace_close(self, role: Role, close: Callable[[], None]) -> None:
        """Replace the `close` of the innermost element of this role."""
        for element in reversed(self._stack):
            if element.role is role:
                element.close = close
                return

    def hide(self) -> None:
        """Hide the following text until `show`."""
        self._hidden += 1

    def show(self) -> None:
        """End the hidden text."""
        self._hidden = max(0, self._hidden - 1)

    def begin_code(self, language: str, title: str) -> bool:
        """Start to collect code, unchanged. Return False inside code."""
        if self._code is not None:
            return False
        self._code = _Code(language, title)
        return True

    def name_language(self, language: str) -> None:
        """Set the language of the collected code, unless it is known."""
        if self._code is not None:
            self._code.language = self._code.language or language

    def end_code(self) -> None:
        """Write the collected code."""
        code, self._code = self._code, None
        if code:
            self.code("".join(code.parts).strip("\n"), code.language, code.title)
