"""The pages of a site: their metadata, duplicates, versions and locales."""
