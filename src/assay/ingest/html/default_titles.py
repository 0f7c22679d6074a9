"""The titles that generators write for admonitions without a title, by language.

They repeat the kind, which the element's class gives in English. Compared without regard to case.
"""

from assay.ingest.html.nodes import name_set

_WORDS: dict[str, dict[str, str]] = {
    "de": {
        "note": "hinweis bemerkung", "info": "info information", "tip": "tipp", "hint": "hinweis", "warning": "warnung",
        "caution": "vorsicht achtung", "danger": "gefahr", "attention": "achtung", "error": "fehler",
        "important": "wichtig", "seealso": "siehe_auch",
    },
    "es": {
        "note": "nota", "info": "información", "tip": "consejo truco", "hint": "consejo pista",
        "warning": "aviso advertencia", "caution": "precaución prudencia", "danger": "peligro", "attention": "atención",
        "error": "error", "important": "importante", "seealso": "ver_también véase_también",
    },
    "fr": {
        "note": "note remarque", "info": "info information", "tip": "astuce", "hint": "indication",
        "warning": "attention avertissement", "caution": "attention prudence", "danger": "danger",
        "attention": "attention", "error": "erreur", "important": "important", "seealso": "voir_aussi",
    },
    "it": {
        "note": "nota note", "info": "informazioni", "tip": "suggerimento consiglio", "hint": "suggerimento",
        "warning": "avvertimento attenzione warning", "caution": "attenzione", "danger": "pericolo",
        "attention": "attenzione", "error": "errore", "important": "importante", "seealso": "vedi_anche",
    },
    "pt": {
        "note": "nota observação", "info": "informação", "tip": "dica", "hint": "dica", "warning": "aviso",
        "caution": "cuidado", "danger": "perigo", "attention": "atenção", "error": "erro", "important": "importante",
        "seealso": "ver_também veja_também",
    },
    "ru": {
        "note": "примечание заметка", "info": "к_сведению информация", "tip": "подсказка совет", "hint": "подсказка",
        "warning": "предупреждение warning", "caution": "предупреждение осторожно", "danger": "осторожно опасно",
        "attention": "внимание", "error": "ошибка", "important": "важно", "seealso": "см._также",
    },
    "ja": {
        "note": "注記 注釈 ノート", "info": "備考 情報", "tip": "ヒント", "hint": "ヒント", "warning": "警告",
        "caution": "注意", "danger": "危険", "attention": "注意", "error": "エラー", "important": "重要",
        "seealso": "参考",
    },
    "ko": {
        "note": "노트 참고", "info": "정보", "tip": "팁", "hint": "힌트", "warning": "경고", "caution": "주의 조심",
        "danger": "위험", "attention": "주의", "error": "오류", "important": "중요", "seealso": "더_보기",
    },
    "zh": {
        "note": "备注 備註 注意", "info": "信息 資訊", "tip": "提示 小技巧 小訣竅", "hint": "提示",
        "warning": "注意 警告",
        "caution": "警告 小心 警示", "danger": "危险 危險", "attention": "注意", "error": "错误 錯誤",
        "important": "重要", "seealso": "参见 請參閱",
    },
}  # fmt: skip

_TITLES = {
    (language, kind): frozenset(word.replace("_", " ") for word in name_set(words))
    for language, kinds in _WORDS.items()
    for kind, words in kinds.items()
}


def is_default_title(language: str, kind: str, title: str) -> bool:
    """Whether a title is a generator's default title for this kind.

    language: of the page, without its region: `pt`. kind: from the class, in lower case.
    """
    return title.strip().rstrip(":\uff1a").casefold() in _TITLES.get((language, kind), ())


def is_lowercase_word(title: str) -> bool:
    """Whether a title is one lower-case word, in a script that has capitals."""
    return " " not in title and title == title.lower() != title.upper()
