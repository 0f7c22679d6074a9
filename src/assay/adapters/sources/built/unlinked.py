"""Files of a built site that no page links to: which of them are not pages of the documentation."""

import re

_PARTS = re.compile(
    r"""(?:^|/)(?:
        _.*                                              # _static, _modules, _next, _not-found: parts of other pages
        |(?:assets|static|css|js|fonts|images|img)/.*
        |search/(?:[a-z]+_[0-9a-f]+|nomatches)\.html        # the results of Doxygen's search
        |404(?:/index)?\.x?html?
        |(?:search|genindex(?:-[^/]+)?|[^/]*-?modindex|toc|print|tags|categories|authors)(?:/index)?\.x?html?
    )$""",
    re.IGNORECASE | re.VERBOSE,
)
_REASON = "no page links to it, and its name is that of an index, a search, an error page or a part of other pages"


def unlinked_reason(path: str) -> str:
    """Why a file that no page links to is not a page; "" if it may be one. path: relative to the site's root."""
    return _REASON if _PARTS.search(path) else ""
