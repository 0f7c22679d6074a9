"""The storm's judgment of answers: what is mixed and what is short."""

from benchmarks.storm import TOP_K, Answered, Record

ONE, OTHER = (frozenset((f"{name}{number}", "hash") for number in range(TOP_K)) for name in "ab")


def _record(*answers: Answered) -> Record:
    record = Record(chunks={"one": ONE, "other": OTHER})
    record.answers.update(answers)
    return record


def test_answers_of_one_generation_are_neither_mixed_nor_short() -> None:
    record = _record(Answered("000", None, tuple(ONE)), Answered("native", "other", tuple(OTHER)))
    assert not record.mixed()
    assert not record.short()


def test_chunks_of_two_generations_are_mixed() -> None:
    assert _record(Answered("000", None, (*sorted(ONE)[1:], *sorted(OTHER)[:1]))).mixed()


def test_chunks_of_another_generation_than_the_one_named_are_mixed() -> None:
    assert _record(Answered("native", "one", tuple(OTHER))).mixed()
    assert _record(Answered("native", "unknown", tuple(ONE))).mixed()


def test_a_known_chunk_with_another_text_is_mixed() -> None:
    changed = tuple((chunk, "another hash") for chunk, _ in ONE)
    assert _record(Answered("003", None, changed)).mixed()


def test_an_answer_with_a_hit_less_is_short() -> None:
    assert _record(Answered("003", None, tuple(ONE)[1:])).short()
