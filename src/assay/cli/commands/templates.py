"""Templates of the assay.toml that `assay init` writes."""

ASSAY_TOML = """\
# Assay's settings. `assay docs settings` lists every one with its default.

{source}

[embedding]
provider = "static"         # built in; "cohere" with COHERE_API_KEY, "openai" with OPENAI_API_KEY, "azure", "fastembed"

[search]
mode = "hybrid"
top_k = 5

[gate]
# a candidate fails if
max_failed_pages = 0.05     # more than 5% of the pages failed
max_page_fall = 0.2         # more than 20% of the live pages or their text are missing
# no_worse_than_live = true # a measure of the test set is significantly lower than the live generation's
"""

FOLDER = """\
[[sources]]
path = {place}
{base_url}     # URL at which these pages are published"""

SITE = """\
[[sources]]
url = {place}
# include = ["/guide"]       # read only pages under these paths; the folder of `url` if unset
# exclude = ["/guide/old"]
# max_pages = 20000
# delay_seconds = 0.5        # between two requests; robots.txt may require more"""
