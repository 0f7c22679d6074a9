"""Facet filters of DocSearch clients as filters of a search.

The crawlers of such sites name versions and locales in their own way: Docusaurus has a tag for each docs plugin and
version (`docs-default-current`), and one for all other pages (`default`). A site with one version or one language
sends these filters too, although its pages in the index have neither.
"""

from collections.abc import Callable, Iterator, Sequence

from assay.contracts.fields import quoted
from assay.errors import InputError
from assay.model.documents import DocumentInfo
from assay.model.ranking import Filters

PageOf = Callable[[Filters], DocumentInfo | None]
"""Any page that matches; None if there is none."""

LOCALE, VERSION, TAG, SOURCE = "locale", "version", "docusaurus_tag", "source"
ATTRIBUTES = {"language": LOCALE, "lang": LOCALE, "locale": LOCALE, VERSION: VERSION, TAG: TAG, SOURCE: SOURCE}

_TAG_PREFIX = "docs-"
_UNRELEASED = "current"
_UNRELEASED_LABELS = ("next", _UNRELEASED)
_DEFAULT_NAMES = frozenset({"latest", "stable", _UNRELEASED, "default"})

_UNVERSIONED = ""
"""Marks the pages without a version in a list of versions; no version has this name."""

_Choice = frozenset[str] | None
"""The values that a filter allows; None for the default: current version or default locale."""


def to_filters(clauses: Sequence[Sequence[str]], page_of: PageOf, has_versions: Callable[[], bool]) -> Filters | None:
    """The filters that these clauses mean; None if no page can match them.

    clauses: `attribute:value`; all clauses, any value of each.
    has_versions: whether any page has a version; asked only about versions that no page has.

    Raises InputError for an attribute that has no filter, and for several attributes in one clause.
    """
    versions: list[_Choice] = []
    locales: list[_Choice] = []
    sources: list[_Choice] = []
    for attribute, values in map(_attribute_and_values, filter(None, clauses)):
        if attribute == SOURCE:
            sources.append(frozenset(values))
        elif attribute == LOCALE:
            locales.append(_locales(values, page_of))
        elif attribute == VERSION:
            versions.append(_versions(values, page_of, has_versions))
        else:
            versions.append(_tagged_versions(values, page_of, has_versions))
    version = _all_of(versions, lambda name: _is_current(name, page_of))
    locale = _all_of(locales, lambda name: _is_default(name, page_of))
    source = _all_of(sources, lambda _name: True)
    if any(choice is not None and not choice for choice in (version, locale, source)):
        return None
    named = version - {_UNVERSIONED} or version if version else version
    return Filters(
        versions=_sorted(named),
        locales=_sorted(locale),
        sources=_sorted(source),
        include_unversioned=version is not None and _UNVERSIONED in version,
    )


def _sorted(choice: _Choice) -> tuple[str, ...]:
    return () if choice is None else tuple(sorted(choice))


def _attribute_and_values(clause: Sequence[str]) -> tuple[str, list[str]]:
    pairs = [each.partition(":") for each in clause]
    names = {ATTRIBUTES.get(attribute.strip(), "") for attribute, _, _ in pairs}
    values = [value.strip().strip("\"'") for _, _, value in pairs]
    if "" in names:
        known = ", ".join(f"`{name}`" for name in ATTRIBUTES)
        raise InputError(f"facetFilters: it must be attribute:value with {known}; {quoted(list(clause))} was sent.")
    if len(names) > 1:
        raise InputError(f"facetFilters: one list must have one attribute only; {quoted(list(clause))} was sent.")
    if any(not value or value.startswith("-") for value in values):
        raise InputError(f"facetFilters: a value is needed, and no exclusion; {quoted(list(clause))} was sent.")
    return names.pop(), values


def _all_of(choices: Sequence[_Choice], is_default: Callable[[str], bool]) -> _Choice:
    """The values that all choices allow. is_default: whether the default allows a value."""
    named = [choice for choice in choices if choice is not None]
    if not named:
        return None
    common = frozenset.intersection(*named)
    return common if len(named) == len(choices) else frozenset(filter(is_default, common))


def _is_current(version: str, page_of: PageOf) -> bool:
    if version == _UNVERSIONED:
        return True
    page = page_of(_of_version(version))
    return page is not None and page.version_is_current


def _is_default(locale: str, page_of: PageOf) -> bool:
    page = page_of(_in_locale(locale))
    return page is not None and page.locale_is_default


def _locales(values: Sequence[str], page_of: PageOf) -> _Choice:
    known = [page for value in values if (page := page_of(_in_locale(value))) is not None]
    if known:
        return None if len(values) == 1 and known[0].locale_is_default else frozenset(values)
    default = page_of(Filters())
    spoken = "" if default is None or default.locale is None else _language(default.locale)
    return None if not spoken or spoken in map(_language, values) else frozenset(values)


def _language(locale: str) -> str:
    return locale.lower().replace("_", "-").partition("-")[0]


def _versions(values: Sequence[str], page_of: PageOf, has_versions: Callable[[], bool]) -> _Choice:
    known = [value for value in values if page_of(_of_version(value)) is not None]
    if known:
        return frozenset(known)
    return None if _DEFAULT_NAMES.intersection(values) or not has_versions() else frozenset(values)


def _tagged_versions(tags: Sequence[str], page_of: PageOf, has_versions: Callable[[], bool]) -> _Choice:
    """The versions of the tags of Docusaurus.

    The tag `default` means pages without a version, and so does `current` of a docs plugin with one version. The
    current version, which is the default, includes them.
    """
    found: dict[str, DocumentInfo] = {}
    unknown: list[str] = []
    unversioned: list[str] = []
    for tag in tags:
        match = next(_known_versions(tag, page_of), None)
        if match is not None:
            found[match[0]] = match[1]
        elif not tag.startswith(_TAG_PREFIX) or tag.endswith(f"-{_UNRELEASED}"):
            unversioned = [_UNVERSIONED]
        else:
            unknown.append(tag)
    if found:
        is_default = all(page.version_is_current for page in found.values())
        return None if is_default else frozenset([*found, *unversioned])
    return frozenset([*unknown, *unversioned]) if unknown and has_versions() else None


def _known_versions(tag: str, page_of: PageOf) -> Iterator[tuple[str, DocumentInfo]]:
    """Versions that `docs-{plugin}-{version}` may mean; both names may have hyphens."""
    if not tag.startswith(_TAG_PREFIX):
        return
    rest = tag.removeprefix(_TAG_PREFIX)
    while "-" in rest:
        rest = rest.partition("-")[2]
        for label in _UNRELEASED_LABELS if rest == _UNRELEASED else (rest,):
            page = page_of(_of_version(label)) if label else None
            if page is not None:
                yield label, page


def _of_version(version: str) -> Filters:
    return Filters(versions=(version,), everything=True)


def _in_locale(locale: str) -> Filters:
    return Filters(locales=(locale,), everything=True)
