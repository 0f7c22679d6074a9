"""The file that `assay init` writes."""

ASSAY_TOML = """\
# Assay's settings. `assay docs settings` lists every one with its default.

{source}

[embedding]
provider = "static"         # built in; "cohere" with COHERE_API_KEY, "openai" with OPENAI_API_KEY, "azure", "fastembed"

[search]
mode = "hybrid"
top_k = 5

[gate]
max_failed_pages = 0.05     # more pages that fail block the candidate
max_page_fall = 0.2         # so does a larger share of pages or text that is gone
# no_worse_than_live = true # so does an answer quality significantly below the live generation's, by the test set
"""

FOLDER = """\
[[sources]]
path = {place}
base_url = {base_url}     # where readers find these pages"""

SITE = """\
[[sources]]
url = {place}
# include = ["/guide"]       # only what is under these paths; the folder of `url` if unset
# exclude = ["/guide/old"]
# max_pages = 20000
# delay_seconds = 0.5        # between two requests; robots.txt may ask for more"""
