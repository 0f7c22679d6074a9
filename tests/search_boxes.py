"""Writes the folder of ASSAY_TEST_DOCSEARCH: `python -m tests.search_boxes FOLDER`.

Then run `npm install` and `npm run build` in it. It has DocSearch 3, 4 and 5, and a Docusaurus site whose search box is
configured for Assay and not changed otherwise.
"""

import json
import sys
from pathlib import Path

from tests.browsing import BASE_URL, HOSTILE
from tests.folders import plant

BOXES = {version: f"docsearch{version}" for version in (3, 4, 5)}
"""Names of the packages, by version of `@docsearch/js`."""

SEARCH_HOST = "search.example.org"
APP_ID = f"{SEARCH_HOST}/assay/"

_PACKAGE = {
    "name": "search-boxes",
    "private": True,
    "scripts": {"build": "docusaurus build"},
    "dependencies": {
        **{name: f"npm:@docsearch/js@{version}" for version, name in BOXES.items()},
        "@docusaurus/core": "~3.10.0",
        "@docusaurus/preset-classic": "~3.10.0",
        "react": "^19.0.0",
        "react-dom": "^19.0.0",
    },
}

_CONFIGURATION = f"""module.exports = {{
  title: 'Robots',
  url: '{BASE_URL}',
  baseUrl: '/',
  i18n: {{ defaultLocale: 'en', locales: ['en', 'de'] }},
  presets: [['classic', {{ docs: {{ includeCurrentVersion: false }}, blog: {{ onUntruncatedBlogPosts: 'ignore' }} }}]],
  themeConfig: {{
    navbar: {{ title: 'Robots', items: [{{ type: 'docsVersionDropdown' }}, {{ type: 'localeDropdown' }}] }},
    algolia: {{ appId: '{APP_ID}', apiKey: 'public', indexName: 'docs' }},
  }},
}};
"""

_PARTS = {
    "gripper": "Unscrew both fingers and grease their joint before the new one is mounted.",
    "camera": "Clean the lens with a soft cloth; the focus is measured again at the next start.",
    "battery": "Charge it to half if it is stored for longer than a month, far from any heating.",
}


def _docs(cable: str) -> dict[str, str]:
    """Pages of one version; only their words about the cable differ."""
    nodes = (
        f"# Nodes\n\nNodes are the programs of the robot.\n\n## Topics\n\nNodes communicate over {cable}.\n\n"
        "## Quality of service\n\nA publisher and a subscriber agree on the depth of the queue.\n"
    )
    parts = {f"{part}.md": f"# Replacing the {part}\n\n## Steps\n\n{steps}\n" for part, steps in _PARTS.items()}
    return {"nodes.md": nodes, **parts}


def _files() -> dict[str, str]:
    hostile = f"---\ntitle: {json.dumps(f'Zebra {HOSTILE}')}\n---\n\nThe zebra has stripes.\n\n## Hooves\n\nHooves.\n"
    docs = {
        "versioned_docs/version-1.0": _docs("a serial cable"),
        "versioned_docs/version-2.0": {**_docs("an optical cable"), "zebra.md": hostile},
        "i18n/de/docusaurus-plugin-content-docs/version-2.0": {
            "nodes.md": "# Knoten\n\nKnoten sind Programme.\n\n## Themen\n\nKnoten sprechen über ein Kabel.\n"
        },
        "blog": {"2024-05-01-cable.md": "# Farewell to a cable\n\n## Thanks\n\nThe last serial cable was cut.\n"},
        "src/pages": {
            "index.md": "# Robots\n\nAll about robots.\n",
            "team.md": "# Team\n\n## Workshop\n\nThese people solder each cable.\n",
        },
    }
    return {f"{folder}/{name}": text for folder, pages in docs.items() for name, text in pages.items()}


def write_folder(folder: Path) -> Path:
    """Write the package and the site; nothing is installed or built."""
    return plant(
        folder,
        {
            "package.json": json.dumps(_PACKAGE, indent=2),
            "docusaurus.config.js": _CONFIGURATION,
            "versions.json": '["2.0", "1.0"]',
            **_files(),
        },
    )


if __name__ == "__main__":
    write_folder(Path(sys.argv[1]))
