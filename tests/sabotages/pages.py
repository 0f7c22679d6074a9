"""Sources that went wrong before they were published: what the pages say, where they are, and who reads them."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.sabotages.plain import LOGIN, answering, app, as_plain, as_site, login_page, script_wanted
from tests.sabotages.table import Sabotage, Scenario
from tests.sabotages.workspace import Workspace

Change = Callable[[Path, int], None]
"""Changes a page; the number tells it from the others."""

_TITLE = re.compile(r"(?m)^title:.*$")
SAME = ("lost content", "pages alike", "pages with text")
LEFTOVERS = ("leftover markup",)
KINDS = ("fall in kinds of content",)
UNREAD = ("unread files",)


def head_and_body(page: Path) -> tuple[str, str]:
    """The front matter with its dashes, and the rest."""
    text = page.read_text(encoding="utf-8")
    end = text.index("\n---\n", 3) + len("\n---\n")
    return text[:end], text[end:]


def say(page: Path, body: str, title: str | None = None) -> None:
    """Leave the page where it is, and give it another body, and another title if one is given."""
    head, _ = head_and_body(page)
    if title is not None:
        head = _TITLE.sub(f"title: {title}", head)
    page.write_text(head + body, encoding="utf-8")


def _changed(change: Change, least: int = 1) -> Callable[[Workspace, float], None]:
    def damage(workspace: Workspace, share: float) -> None:
        for number, page in enumerate(workspace.some_pages(share, least)):
            change(page, number)

    return damage


def _adding(addition: str, *, in_front: bool = False) -> Change:
    def change(page: Path, number: int) -> None:
        head, body = head_and_body(page)
        added = addition.format(number=number) if "{number}" in addition else addition
        page.write_text(f"{head}\n{added}\n{body}" if in_front else f"{head}{body}\n{added}\n", encoding="utf-8")

    return change


def log_in(page: Path, _: int) -> None:
    say(page, LOGIN, "Sign in")


def _login_under_its_title(page: Path, _: int) -> None:
    say(page, LOGIN)


def _login_with_its_address(page: Path, number: int) -> None:
    say(page, f"{LOGIN}\nYou will be sent back to document {number:04}, request {number * 7919 + 13}.\n")


def _login_with_its_name(page: Path, number: int) -> None:
    name = page.stem.rpartition("-")[2]
    say(page, f"# {name}\n\n{LOGIN}\nSign in to see the {name}. Request {number * 7919 + 13}.\n", name)


def _maintenance(page: Path, number: int) -> None:
    say(page, f"Down for maintenance since 08:{number:02}. We will be back soon. Thank you for your patience.\n")


def _not_found(page: Path, _: int) -> None:
    say(page, "The page that you were looking for does not exist. It may have moved.\n", "Page not found")


def _please_wait(page: Path, _: int) -> None:
    say(page, "Please wait...\n")


def _noscript(page: Path, _: int) -> None:
    say(page, "<noscript>You need to enable JavaScript to run this app.</noscript>\n")


def _empty(page: Path, _: int) -> None:
    say(page, "")


def cut_page(page: Path, _: int) -> None:
    _, body = head_and_body(page)
    say(page, f"{body[:300].rpartition(' ')[0]}\n")


def _mojibake(page: Path, _: int) -> None:
    """UTF-8 that was read as Latin-1 and saved again."""
    _, body = head_and_body(page)
    said = body.replace("'", "’").replace(" - ", " — ").replace('"', "”")
    say(page, said.encode().decode("latin-1"))


def _conflict(page: Path, _: int) -> None:
    """The second paragraph is there from both branches."""
    head, body = head_and_body(page)
    first, *rest = body.split("\n\n")
    both = "<<<<<<< HEAD\nThe robot has one arm.\n=======\nThe robot has two arms.\n>>>>>>> feature/arms"
    page.write_text(head + "\n\n".join([first, both, *rest]), encoding="utf-8")


def _one_line(page: Path, _: int) -> None:
    """The page as a string that was escaped once too often."""
    say(page, head_and_body(page)[1].replace("`", "").replace("\n", "\\n") + "\n")


def _same_title(page: Path, _: int) -> None:
    _, body = head_and_body(page)
    say(page, body, "Documentation")


def _unreadable(page: Path, _: int) -> None:
    page.write_bytes(b"\xff\xfe\x00\xd8" + page.read_bytes())


def _too_large(page: Path, _: int) -> None:
    _, body = head_and_body(page)
    say(page, body * (5_200_000 // len(body.encode()) + 1))


def without(pattern: str, put: str = "") -> Change:
    """What matches is gone from a page's body."""

    def change(page: Path, _: int) -> None:
        say(page, re.sub(pattern, put, head_and_body(page)[1], flags=re.MULTILINE | re.DOTALL))

    return change


def remove(page: Path, _: int) -> None:
    page.unlink()


def _one_text(workspace: Workspace, share: float) -> None:
    """Some pages say what one of them says, under their own titles."""
    chosen = workspace.some_pages(share, 3)
    _, body = head_and_body(chosen[0])
    for page in chosen[1:]:
        say(page, body)


def _banner(page: Path, _: int) -> None:
    """A notice that is longer than what the page says."""
    head, body = head_and_body(page)
    notice = "We use cookies and similar means to offer you the best reading there is, and you may choose which. " * 60
    page.write_text(f"{head}\n{notice}\n\n{body[:200].rpartition(' ')[0]}\n", encoding="utf-8")


def _subfolder(workspace: Workspace, _: float) -> None:
    workspace.source["path"] = workspace.docs / "docs" / "06-sensing"


def _moved(workspace: Workspace, _: float) -> None:
    workspace.source["base_url"] = "https://new.example"


def _no_address(workspace: Workspace, _: float) -> None:
    config = workspace.docs / "docusaurus.config.js"
    config.write_text(
        config.read_text(encoding="utf-8").replace("url: 'https://handbook.example',", ""), encoding="utf-8"
    )
    workspace.source["base_url"] = None


def _renamed(page: Path, number: int) -> None:
    """Another slug for the page, and no redirect."""
    head, body = head_and_body(page)
    head = re.sub(r"(?m)^(slug|id):.*\n", "", head)
    page.write_text(head.replace("---\n", f"---\nslug: /moved/{number}\n", 1) + body, encoding="utf-8")


def _in_english(workspace: Workspace) -> None:
    """The configuration names locales, so that each page has one."""
    config = workspace.docs / "docusaurus.config.js"
    text = config.read_text(encoding="utf-8")
    locales = "  i18n: {defaultLocale: 'en', locales: ['en', 'ja']},\n  presets"
    config.write_text(text.replace("  presets", locales), encoding="utf-8")


def _wrong_locale(workspace: Workspace, _: float) -> None:
    workspace.source["default_locale"] = "ja"


def _with_versions(workspace: Workspace) -> None:
    """The pages once more, as an older version of them."""
    shutil.copytree(workspace.docs / "docs", workspace.docs / "versioned_docs" / "version-1.0")
    (workspace.docs / "versions.json").write_text('["1.0"]', encoding="utf-8")


def _in_both(workspace: Workspace) -> None:
    """Two versions, and a translation of the newer one alone."""
    _in_english(workspace)
    _with_versions(workspace)
    translated = workspace.docs / "i18n" / "ja" / "docusaurus-plugin-content-docs" / "current"
    translated.mkdir(parents=True)
    shutil.copy(workspace.docs / "docs" / "01-intro.md", translated)


def _never_meet(workspace: Workspace, _: float) -> None:
    workspace.source |= {"default_locale": "ja", "current_version": "1.0"}


def _wrong_version(workspace: Workspace, _: float) -> None:
    workspace.source["current_version"] = "2.0"


def _other_generator(name: str, config: str) -> Callable[[Workspace, float], None]:
    """The folder is another generator's."""

    def damage(workspace: Workspace, _: float) -> None:
        (workspace.docs / "docusaurus.config.js").unlink()
        if "starlight" in config:
            (workspace.docs / "src" / "content").mkdir(parents=True)
            (workspace.docs / "docs").rename(workspace.docs / "src" / "content" / "docs")
        path = workspace.docs / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(config, encoding="utf-8")

    return damage


def _unread(suffix: str) -> Callable[[Workspace, float], None]:
    """Some pages are written in what no reader takes."""

    def damage(workspace: Workspace, share: float) -> None:
        for page in workspace.some_pages(share):
            page.rename(page.with_suffix(suffix))

    return damage


def _row(
    name: str,
    damage: Callable[[Workspace, float], None],
    scenario: Scenario,
    *checks: str,
    shares: tuple[float, ...] = (1.0,),
    before: Callable[[Workspace], None] | None = None,
    says: str = "",
) -> Sabotage:
    return Sabotage(name, damage, scenario, checks, shares, before=before, says=says)


FIRST, SECOND, JUDGED = Scenario.FIRST, Scenario.SECOND, Scenario.SECOND_JUDGED
_REFUSED = ("ConfigurationError", "SourceError", "InputError")
_SHELLS = ("SourceError", "failed pages")
_SHORTCODES = '{{{{< callout type="info" >}}}} Note {number} {{{{< /callout >}}}}\n\n{{{{% ref "page-{number}.md" %}}}}'
SABOTAGES = (
    _row("login pages in place of some", _changed(log_in, 3), SECOND, *SAME, shares=(0.3, 0.12)),
    _row(
        "login pages under the titles of some", _changed(_login_under_its_title, 3), SECOND, *SAME, shares=(0.3, 0.12)
    ),
    _row("login pages at the first build", _changed(log_in, 3), FIRST, *SAME, shares=(0.3, 0.12)),
    _row("login pages that differ in a number", _changed(_login_with_its_address, 3), FIRST, *SAME, shares=(0.3, 0.12)),
    _row("login pages with the page's name", _changed(_login_with_its_name, 3), SECOND, *SAME, shares=(1.0, 0.3)),
    _row("maintenance pages with the time", _changed(_maintenance, 3), SECOND, *SAME, shares=(0.3, 0.12)),
    _row("not-found pages with status 200", _changed(_not_found, 3), FIRST, *SAME, shares=(0.3, 0.12)),
    _row("pages that say: please wait", _changed(_please_wait), FIRST, *SAME, shares=(1.0, 0.16)),
    _row("pages with noscript alone", _changed(_noscript), FIRST, *SAME, shares=(1.0, 0.16)),
    _row("empty pages", _changed(_empty), FIRST, *SAME, shares=(1.0, 0.16)),
    _row("pages that became empty", _changed(_empty), SECOND, *SAME, shares=(0.3, 0.16)),
    _row("one text on many pages", _one_text, FIRST, *SAME, shares=(1.0, 0.12)),
    _row("a notice that swallows the content", _changed(_banner), FIRST, "passages alike", shares=(1.0, 0.6)),
    _row("one title for all pages", _changed(_same_title), FIRST, "titles alike"),
    _row("code that is gone", _changed(without(r"^```.*?^```$")), SECOND, *KINDS, shares=(1.0, 0.6)),
    _row("tables that are gone", _changed(without(r"^ *\|[^\n]*\n")), SECOND, *KINDS, shares=(1.0, 0.6)),
    _row("headings that are gone", _changed(without(r"^#+ [^\n]*$")), SECOND, *KINDS, shares=(1.0, 0.4)),
    _row("lists that are running text", _changed(without(r"^ *(?:[-*]|\d+\.) ")), SECOND, *KINDS, shares=(1.0, 0.6)),
    _row("pages indented so that all is code", _changed(without(r"^", "    ")), SECOND, *KINDS, shares=(1.0, 0.4)),
    _row("pages that are gone", _changed(remove), SECOND, "fall in pages", shares=(0.5, 0.24)),
    _row("a subfolder in place of the folder", _subfolder, SECOND, "fall in pages"),
    _row("another base URL", _moved, SECOND, "fall in pages"),
    _row("other slugs", _changed(_renamed), SECOND, "fall in pages", shares=(1.0, 0.24)),
    _row("no base URL any more", _no_address, SECOND, "addresses"),
    _row("a default locale that no page has", _wrong_locale, FIRST, *_REFUSED, before=_in_english, says="no locale"),
    _row(
        "a current version that no page has", _wrong_version, FIRST, *_REFUSED, before=_with_versions, says="no version"
    ),
    _row("a locale and a version that never meet", _never_meet, FIRST, "searched by default", before=_in_both),
    _row("pages that are not UTF-8", _changed(_unreadable), FIRST, "failed pages", shares=(0.5, 0.08)),
    _row("pages over the limit", _changed(_too_large), SECOND, "failed pages", shares=(0.08,)),
    _row("UTF-8 read as Latin-1", _changed(_mojibake), FIRST, *LEFTOVERS, shares=(1.0, 0.2)),
    _row(
        "pages cut after their first sentences",
        _changed(cut_page),
        JUDGED,
        "judgments found",
        "known answers",
        shares=(1.0, 0.24),
    ),
    _row("pages cut, and no test set", _changed(cut_page), SECOND, "fall in text", shares=(1.0, 0.5)),
    _row("Hugo's shortcodes", _changed(_adding(_SHORTCODES)), FIRST, *LEFTOVERS, shares=(1.0, 0.2), before=as_plain),
    _row(
        "Liquid's tags",
        _changed(_adding("{% include note.html %}\n\n{{ site.version }}")),
        FIRST,
        *LEFTOVERS,
        shares=(1.0, 0.2),
        before=as_plain,
    ),
    _row(
        "mdBook's includes",
        _changed(_adding("{{#include ../listing.rs:here}}")),
        FIRST,
        *LEFTOVERS,
        shares=(1.0, 0.2),
        before=as_plain,
    ),
    _row(
        "MyST's directives",
        _changed(_adding(":::{note} Here\n:class: dropdown\n:::\n\n(target)=\n\n{ref}`target`")),
        FIRST,
        *LEFTOVERS,
        shares=(1.0, 0.2),
    ),
    _row(
        "Obsidian's links",
        _changed(_adding("See [[another page|here]] and ![[picture.png]].")),
        FIRST,
        *LEFTOVERS,
        shares=(1.0, 0.2),
    ),
    _row(
        "VitePress's code imports",
        _changed(_adding("<<< @/snippets/code.js{2}\n\n[[toc]]")),
        FIRST,
        *LEFTOVERS,
        shares=(1.0, 0.2),
    ),
    _row(
        "escaped HTML",
        _changed(_adding("&lt;div class=&quot;box&quot;&gt;&lt;p&gt;text&lt;/p&gt;&lt;/div&gt;")),
        FIRST,
        *LEFTOVERS,
        shares=(1.0, 0.2),
    ),
    _row("a merge that was not finished", _changed(_conflict), FIRST, *LEFTOVERS, shares=(1.0, 0.0)),
    _row(
        "objects written as text",
        _changed(_adding("Takes [object Object] for its settings.")),
        FIRST,
        *LEFTOVERS,
        shares=(1.0, 0.2),
    ),
    _row(
        "placeholders that nobody filled in",
        _changed(_adding("%PRODUCT% %VERSION% needs @@BASE_URL@@ for this.")),
        FIRST,
        *LEFTOVERS,
        shares=(1.0, 0.2),
    ),
    _row(
        "entities that were escaped twice",
        _changed(_adding("It&amp;#39;s &amp;lt;b&amp;gt; that it shows.")),
        FIRST,
        *LEFTOVERS,
        shares=(1.0, 0.2),
    ),
    _row("ends of lines as backslash and n", _changed(_one_line), FIRST, *LEFTOVERS, shares=(1.0, 0.3)),
    _row(
        "headings that are undefined",
        _changed(_adding("## undefined\n\nWhat belongs to it is said here.")),
        FIRST,
        *LEFTOVERS,
        shares=(1.0, 0.2),
    ),
    _row(
        "VitePress's folder",
        _other_generator(".vitepress/config.mjs", "export default {title: 'x'}\n"),
        FIRST,
        *_REFUSED,
        says="VitePress",
    ),
    _row(
        "Starlight's folder",
        _other_generator(
            "astro.config.mjs",
            "import starlight from '@astrojs/starlight';\nexport default {integrations: [starlight({title: 'x'})]};\n",
        ),
        FIRST,
        *_REFUSED,
        says="Starlight",
    ),
    _row(
        "Hugo's folder",
        _other_generator("hugo.toml", "baseURL = 'https://handbook.example/'\ncontentDir = 'docs'\n"),
        FIRST,
        *_REFUSED,
        says="Hugo",
    ),
    _row(
        "mdBook's folder",
        _other_generator("book.toml", '[book]\ntitle = "x"\nsrc = "docs"\n'),
        FIRST,
        *_REFUSED,
        says="mdBook",
    ),
    _row(
        "Sphinx's folder",
        _other_generator("conf.py", "project = 'x'\nextensions = ['myst_parser']\n"),
        FIRST,
        *_REFUSED,
        says="Sphinx",
    ),
    _row("files in reStructuredText", _unread(".rst"), FIRST, *UNREAD, shares=(0.5, 0.24)),
    _row("files in AsciiDoc", _unread(".adoc"), FIRST, *UNREAD, shares=(0.5, 0.24)),
    _row("notebooks", _unread(".ipynb"), FIRST, *UNREAD, shares=(0.5, 0.24)),
    _row("a site made by JavaScript", answering(app), FIRST, *_SHELLS, shares=(1.0, 0.16), before=as_site),
    _row("a site that wants JavaScript", answering(script_wanted), FIRST, *_SHELLS, shares=(1.0, 0.16), before=as_site),
    _row("a site that wants a login", answering(login_page), FIRST, *SAME, shares=(1.0, 0.12), before=as_site),
)
