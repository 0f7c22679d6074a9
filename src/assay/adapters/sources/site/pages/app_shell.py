"""Pages whose text is made by JavaScript in the browser: an empty application root, or a request to wait."""

import re

from selectolax.lexbor import LexborHTMLParser

NEEDS_BROWSER = "it needs a browser: JavaScript makes its text"
HELP = (
    "Assay runs no JavaScript. Prerender the site (static export, server-side rendering) and publish the built folder, "
    "or publish the Markdown that it is made from: its folder, or its llms-full.txt saved as a .md file."
)

LONGEST_SHELL = 160
"""A page with more characters of text has content."""

_SCRIPTS = re.compile(r"<(?:script|noscript)\b", re.IGNORECASE)
_REDIRECTS = re.compile(r"\blocation\s*(?:=[^=]|\.(?:href\s*=[^=]|replace\s*\(|assign\s*\())")
_WAITS = re.compile(
    r"please wait|loading|just a moment|javascript|bitte warten|wird geladen|chargement|cargando|carregando|"
    r"\u0437\u0430\u0433\u0440\u0443\u0437\u043a\u0430|\u8bfb\u53d6\u4e2d|\u52a0\u8f7d\u4e2d|\u8bf7\u7a0d\u5019|"
    r"\u8aad\u307f\u8fbc\u307f\u4e2d|\ub85c\ub529",
    re.IGNORECASE,
)
_CONTENT = "h1, h2, h3, h4, h5, h6, article, li, table, pre, dl"
_MEDIA = "img, picture, video, audio, iframe, object, embed, form, input, frame"


def is_app_shell(tree: LexborHTMLParser, source: str, text: str) -> bool:
    """Whether a page has no text without JavaScript. A page that a script redirects is not one.

    tree: the page, without scripts in its main element. source: its HTML. text: of its main element, or of its body.
    """
    if len(text) > LONGEST_SHELL or _SCRIPTS.search(source) is None:
        return False
    body = tree.body
    if body is None or _REDIRECTS.search(source) is not None:
        return False
    if text:
        return _WAITS.search(text) is not None and body.css_first(_CONTENT) is None
    return body.css_first(_MEDIA) is None
