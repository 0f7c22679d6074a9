"""A Docusaurus configuration is read for its literals, and never run."""

import pytest

from assay.adapters.sources.folder.docusaurus.config import DocsInstance, DocusaurusConfig, read_config

FULL = r"""
// @ts-check
import {themes} from 'prism-react-renderer'; // it's a comment
const versions = require('./versions.json');
const pattern = /[/"']url: 'no'/g, ratio = 6 / 2 / 1;
/** @type {import('@docusaurus/types').Config} */
const config = {
  title: 'A "quoted" title', tagline: `both "kinds" of 'quotes'`,
  url: 'https://docs.example.org',
  baseUrl: "/project/",
  /* url: 'https://commented.example' */
  i18n: {defaultLocale: 'de', locales: ['de', 'fr'], localeConfigs: {fr: {label: 'Français'}}},
  presets: [
    [
      '@docusaurus/preset-classic',
      /** @type {import('@docusaurus/preset-classic').Options} */
      ({
        docs: {
          path: '../docs',
          routeBasePath: '/guide/',
          lastVersion: 'current',
          includeCurrentVersion: false,
          numberPrefixParser: false,
          onlyIncludeVersions: ['current', '1.0'],
          remarkPlugins: [[require('plugin'), {docs: {path: 'not-this'}}]],
          versions: {current: {label: `2.0`, path: 'edge'}, '1.0': {path: '/one/'}, '0.9': {banner: 'none'}},
        },
        blog: {path: 'blog', routeBasePath: '/news'},
      }),
    ],
  ],
  plugins: [
    ['@docusaurus/plugin-content-docs', {id: 'community', path: 'community', routeBasePath: 'community'}],
    async function tailwind() { return {name: 'tailwind', url: 'x', baseUrl: 'y'} },
  ],
  themeConfig: {docs: {sidebar: {hideable: true}, path: 'nor-this'}, navbar: {items: [{to: '/docs'}]}},
};
module.exports = config;
"""


def test_everything_that_decides_urls_is_read() -> None:
    config = read_config(FULL)
    assert (config.url, config.base_path) == ("https://docs.example.org", "/project/")
    assert (config.default_locale, config.locales) == ("de", ("de", "fr"))
    assert config.instances == (
        DocsInstance(
            path="../docs",
            route="guide",
            last_version="current",
            include_current=False,
            numbers=False,
            version_paths=(("current", "edge"), ("1.0", "one")),
            only_versions=("current", "1.0"),
        ),
        DocsInstance(id="community", path="community", route="community"),
    )


@pytest.mark.parametrize("text", ["", "export default {}", "not a program at all {{{ '", "{" * 5000, "\\" * 5000])
def test_what_says_nothing_leaves_the_defaults(text: str) -> None:
    assert read_config(text) == DocusaurusConfig()


@pytest.mark.parametrize(
    "value",
    [
        "process.env.URL",
        "`https://${host}`",
        "'https://' + host",
        "isPreview ? 'https://a.example' : 'https://b.example'",
        "siteUrl()",
        "['https://a.example']",
        "/https:/",
        "7",
    ],
)
def test_what_is_computed_is_unknown(value: str) -> None:
    config = read_config(f"export default {{title: 't', url: {value}, baseUrl: '/b/'}}")
    assert config.url is None
    assert config.base_path == "/b/"


@pytest.mark.parametrize(
    "locales", ["isDev ? ['en'] : ['en', 'fr']", "['en', ...others]", "['en', french]", "all", "[]"]
)
def test_locales_that_are_not_all_literal_are_unknown(locales: str) -> None:
    assert read_config(f"x = {{i18n: {{defaultLocale: 'en', locales: {locales}}}}}").locales is None


def test_docs_can_be_turned_off() -> None:
    assert read_config("x = {presets: [['classic', {docs: false, blog: {}}]]}").instances == ()


def test_a_docs_plugin_may_stand_in_for_the_preset() -> None:
    program = "x = {plugins: [[require.resolve('@docusaurus/plugin-content-docs'), {routeBasePath: '/'}]]}"
    assert read_config(program).instances == (DocsInstance(route=""),)
    both = "x = {presets: [['classic', {docs: false}]], plugins: [['content-docs', {path: 'a'}]]}"
    assert read_config(both).instances == (DocsInstance(path="a"),)


def test_typescript_around_the_literals_does_not_matter() -> None:
    program = """
    const config: Config = {
      title: 'x', url: 'https://a.example', baseUrl: '/',
      presets: [['classic', {docs: {routeBasePath: 'manual'} satisfies DocsOptions} satisfies Preset.Options]],
    } as const;
    export default config;
    """
    config = read_config(program)
    assert config.url == "https://a.example"
    assert config.instances == (DocsInstance(route="manual"),)


def test_escapes_in_strings_are_undone() -> None:
    assert read_config(r"x = {url: 'https:\/\/a.example', baseUrl: '/'}").url == "https://a.example"


@pytest.mark.parametrize(
    "evil",
    ["/*" * 20_000, "/[" * 20_000, "`" * 20_000, '"\\"\\' * 10_000, "[" * 20_000 + "]" * 20_000, "({docs:" * 9_000],
)
def test_a_hostile_program_is_read_in_time_that_grows_with_its_length(evil: str) -> None:
    assert read_config(evil).url is None  # quadratic reading would run into the suite's time limit


@pytest.mark.parametrize(
    "program",
    [
        "const BASE = '/docs';\nexport default {url: 'https://a.example', baseUrl: `${BASE}/`}",
        "const BASE: string = '/docs/'\nconst config = {url: 'https://a.example', baseUrl: BASE};",
        "const root = 'docs'\nlet path = `/${root}/`\nexport default {baseUrl: path, url: 'https://a.example'}",
        "const baseUrl = '/docs/';\nconst url = 'https://a.example';\nmodule.exports = {title: 'A', url, baseUrl};",
        "const baseUrl = '/docs/'\nmodule.exports = {baseUrl, url: 'https://a.example'}",
    ],
)
def test_strings_in_constants_are_known(program: str) -> None:
    config = read_config(program)
    assert (config.url, (config.base_path or "").strip("/"), config.computed) == ("https://a.example", "docs", ())


@pytest.mark.parametrize(
    "program",
    [
        "const BASE = '/a' + x;\nexport default {title: 'A', url: 'https://a.example', baseUrl: BASE}",
        "const BASE = isMain ? '/' : '/docs/';\nexport default {title: 'A', url: 'https://a.example', baseUrl: BASE}",
        "let b = '/a/';\nfunction f() { let b = '/b/'; }\nexport default {url: 'https://a.example', baseUrl: `${b}`}",
        "export default {title: 'A', url: 'https://a.example', baseUrl: process.env.BASE || '/docs/'}",
        "export default {title: 'A', url: 'https://a.example', baseUrl: `/${path()}/`}",
        "const f = ({url, baseUrl}) => 1;\nexport default {title: 'A', url: 'https://a.example', baseUrl: f(x)}",
    ],
)
def test_a_value_that_is_not_known_is_named_as_computed(program: str) -> None:
    config = read_config(program)
    assert (config.url, config.base_path, config.computed) == ("https://a.example", None, ("baseUrl",))
