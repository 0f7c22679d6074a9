"""Notes about hosts that not everybody reaches, two hosts with the same pages, and pages of another language."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.structures import WORDS, moved, some_pages, verdict_on
from tests.worlds import World

from assay.testing.catalog_samples import Stored, page
from assay.validation.content.languages import LANGUAGES, signs_of_languages


def _notes(*pages: Stored) -> list[str]:
    world = World()
    return [one for one in verdict_on(world, world.build("g1", *pages)).notes if " at " in one]


def _at(host: str, pages: Sequence[Stored]) -> list[Stored]:
    at = [moved(one, f"{host}/{word}") for word, one in zip(WORDS, pages, strict=False)]
    return [(replace(document, key=document.info.url), chunks) for document, chunks in at]


@pytest.mark.parametrize(
    ("host", "reach"),
    [
        ("http://localhost:3000", "on this machine"),
        ("http://docs.localhost", "on this machine"),
        ("http://127.0.0.1:8000", "on this machine"),
        ("http://[::1]:8000", "on this machine"),
        ("http://192.168.7.1", "within its network"),
        ("http://[fd00::1]", "within its network"),
    ],
)
def test_a_host_that_not_everybody_reaches_is_named(host: str, reach: str) -> None:
    (note,) = _notes(*_at(host, some_pages(2)))
    assert note.startswith("2 pages are at ")
    assert f"links of hits work only {reach}" in note
    assert "--base-url" in note


@pytest.mark.parametrize("host", ["https://docs.example.org", "https://8.8.8.8", "https://localhost.example.org"])
def test_a_public_host_is_not(host: str) -> None:
    assert _notes(*_at(host, some_pages(2))) == []


def test_two_hosts_with_the_same_pages_are_named() -> None:
    pages = some_pages(5)
    (note,) = _notes(*_at("https://docs.example.org", pages), *_at("https://mirror.example.org", pages[:4]))
    assert note.startswith("4 pages are at docs.example.org and, with the same text, at mirror.example.org")


def test_hosts_that_have_few_or_the_lesser_part_of_their_pages_in_common_are_not() -> None:
    pages = some_pages(10)
    two = _notes(*_at("https://docs.example.org", pages[:2]), *_at("https://other.example.org", pages[:2]))
    part = _notes(*_at("https://docs.example.org", pages[:7]), *_at("https://other.example.org", pages[4:]))
    none = _notes(*_at("https://docs.example.org", pages[:5]), *_at("https://other.example.org", pages[5:]))
    assert (two, part, none) == ([], [], [])


def test_pages_without_text_are_named() -> None:
    world = World()
    document, _ = page("nothing", "")
    generation = world.build("g1", *some_pages(10)[1:], (document, []))
    (note,) = [one for one in verdict_on(world, generation).notes if "no text" in one]
    assert note == f"1 page has no text to search: {document.info.url}."
    assert not [one for one in verdict_on(world, world.build("g2", *some_pages(3))).notes if "no text" in one]


@pytest.mark.parametrize("pages", [0, 1, 2, 3])
def test_live_pages_that_got_one_title_are_named(pages: int) -> None:
    world = World()
    live = world.build("g0", *some_pages(10))
    login = [page(word, f"Sign in to read about the {word}.", title="Sign in") for word in WORDS[:pages]]
    candidate = world.build("g1", *login, *some_pages(10)[pages:], minute=1)
    notes = [one for one in verdict_on(world, candidate, live=live).notes if "title" in one]
    if pages < 2:
        assert notes == []
    else:
        urls = ", ".join(sorted(document.info.url for document, _ in login))
        assert notes == [
            f"{pages} pages changed their title to 'Sign in': {urls}. Check that this is no login or error page."
        ]


def test_pages_that_keep_a_common_title_are_not_named() -> None:
    world = World()
    live = world.build("g0", *(page(word, f"About a {word}.", title="Overview") for word in WORDS))
    edited = world.build("g1", *(page(word, f"More about a {word}.", title="Overview") for word in WORDS), minute=1)
    assert not [one for one in verdict_on(world, edited, live=live).notes if "title" in one]


def test_pages_that_are_no_longer_searched_by_default_are_counted_by_locale_or_version() -> None:
    world = World()
    live = world.build("g0", *some_pages(10))
    french, *rest = some_pages(10)
    first, *rest = rest
    candidate = world.build(
        "g1",
        _edited(french, locale="fr", locale_is_default=False),
        _edited(first, version="1.0", version_is_current=False),
        *(_edited(page, locale="en", version="2.0") for page in rest),
        minute=1,
    )
    (note,) = [one for one in verdict_on(world, candidate, live=live).notes if "by default" in one]
    assert note.startswith(
        "Searches no longer read 2 pages by default, because of another locale or version: `1.0` (1), `fr` (1). "
    )
    back = world.build("g2", *some_pages(10), minute=2)
    assert not [one for one in verdict_on(world, back, live=candidate).notes if "by default" in one]
    assert not [one for one in verdict_on(world, candidate).notes if "by default" in one]


def _edited(stored: Stored, **edition: object) -> Stored:
    document, chunks = stored
    info = replace(document.info, **edition)  # type: ignore[arg-type]  # fields of any test
    return replace(document, info=info), [replace(chunk, document=info) for chunk in chunks]


# --- languages -----------------------------------------------------------------------------------------------------

SAID = {
    "cs": "Uzel, který posílá zprávy, není jako služba, protože nečeká na odpověď, a lze ho také vypnout.",
    "de": "Der Knoten sendet das Bild mit einer Nachricht, und die Kamera wird nicht auf den Empfang warten.",
    "en": "The node sends the image with a message, and the camera is not waiting for the receiver of this.",
    "es": "El nodo envía los mensajes con una imagen, y la cámara no espera por las respuestas, pero puede pedirlas.",
    "fr": "Le nœud envoie les images dans une file pour que vous lisiez des messages avec une option, pas sur demande.",
    "it": "Il nodo manda una immagine con il messaggio che non sono letti della coda, per gli altri.",
    "ja": "ノードは画像をメッセージとして送り、カメラは応答を待たずに次の処理を始めます。",
    "ko": "노드는 이미지를 메시지로 보내고 카메라는 응답을 기다리지 않고 다음 작업을 시작합니다.",
    "nl": "Het knooppunt stuurt een beeld van de camera naar deze rij, en het wordt niet ook voor een ander bewaard.",
    "pl": "Węzeł nie czeka, aby kamera się włączyła, i jest gotowy dla obrazów, które są przesyłane przez kolejkę.",
    "pt": "Os nós enviam uma imagem com a mensagem, e não são como os serviços, para que você também possa esperar.",
    "ru": "Узел отправляет изображение в очередь и не ждёт, как это делает служба, для ответа на сообщение.",
    "sv": "Noden skickar en bild med det meddelande som är klart, och det kan inte vänta på kön.",
    "tr": "Düğüm bir görüntü için bu kuyruğa daha önce ve hizmet gibi değil, ileti olarak gönderir.",
    "zh": "节点将图像作为消息发送。相机不等待响应。",
}
LINES = 60


def test_each_language_has_the_most_signs_in_its_own_prose() -> None:
    assert SAID.keys() == LANGUAGES
    counts = {code: signs_of_languages(said) for code, said in SAID.items()}
    assert {code: count.most_common(1)[0][0] for code, count in counts.items()} == {code: code for code in SAID}


def test_code_is_no_sign_of_a_language() -> None:
    assert not signs_of_languages(f"```\n{SAID['en']}\n```").total()


def _read(locale: str | None, *said: str, lines: int = LINES, default: bool = True) -> list[str]:
    """The notes on a page for each line, in these languages by turns."""
    world = World()
    pages = [
        page(f"page-{number}", SAID[said[number % len(said)]], locale=locale, locale_is_default=default)
        for number in range(lines)
    ]
    return [one for one in verdict_on(world, world.build("g1", *pages)).notes if "default_locale" in one]


@pytest.mark.parametrize(
    ("locale", "said"), [("de", "en"), ("en", "ja"), ("pt-BR", "ru"), ("zh_CN", "en"), ("fr", "de")]
)
def test_a_default_locale_that_the_pages_are_not_written_in_is_named(locale: str, said: str) -> None:
    (note,) = _read(locale, said)
    assert note.startswith(f"The pages of docs are declared as `{locale[:2]}`, but their text looks like `{said}`")


@pytest.mark.parametrize("code", sorted(SAID))
def test_pages_in_the_language_of_their_locale_are_not_named(code: str) -> None:
    assert _read(code, code) == []


def test_a_locale_is_not_named_where_it_may_well_be_right() -> None:
    assert _read("ja", *["en"] * 4, "ja") == []
    assert _read("da", "en") == []
    assert _read(None, "en") == []
    assert _read("de", "en", default=False) == []
    assert _read("de", "en", lines=2) == []
