"""The files that `assay init` writes."""

ASSAY_TOML = """\
# Assay's settings. Every one of them, with its default, is listed in docs/settings.md.

[[sources]]
path = "{path}"
base_url = "{base_url}"     # where readers find these pages

[embedding]
provider = "static"         # built in; "cohere" with COHERE_API_KEY, "openai" with OPENAI_API_KEY, "azure", "fastembed"

[search]
mode = "hybrid"
top_k = 5

[gate]
max_failed_pages = 0.05     # more pages that fail block the candidate
max_page_fall = 0.2         # so does a larger fall in the number of pages
"""

TESTSET_YAML = """\
# Questions that your documentation should answer, and the passages that answer them.
# label: 2 answers the question, 1 helps, 0 does not. A quote is copied from the page as a reader sees it.

name: first-questions
topics:
  - id: install
    text: How do I install it?
    type: specific            # specific, broad, paraphrase or edge
    top_k: 5
    judgments:
      - {{url: "{base_url}/getting-started", quote: "replace this with a sentence of that page", label: 2}}
  - id: out-of-domain
    text: best pasta recipe
    type: edge
    expect: no_answer
"""
