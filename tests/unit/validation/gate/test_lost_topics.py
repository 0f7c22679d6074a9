"""Topics that the live generation answers and a candidate does not, case by case."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.validations import chunk_of, topic_result

from assay.model.evaluation import Anchoring, Judgment, Outcome, Passage, Resolution, ResolvedTopic
from assay.model.ranking import Hit
from assay.model.validations import Difference, TopicResult
from assay.validation.content.rewording import Replaced, is_reworded
from assay.validation.gate.against_live import AgainstLive, Obstacle, live_findings
from assay.validation.gate.lost_topics import (
    LostTopic,
    LostTopics,
    find_lost_topics,
    lost_topics_finding,
    no_page_texts,
)
from assay.validation.gate.policy import MeasureLimit

FOUND, NOT_FOUND = (2, 1, 0, 0, 0), (0, 0, 0, 0, 0)


def _lost(before: Sequence[TopicResult], after: Sequence[TopicResult]) -> LostTopics:
    return find_lost_topics(before, after, {one.topic.id: _resolved(one) for one in after}, no_page_texts)


def _resolved(result: TopicResult) -> ResolvedTopic:
    chunks = [chunk_id for one in result.resolutions for chunk_id in one.chunk_ids]
    return ResolvedTopic(result.topic, result.resolutions, dict.fromkeys(chunks, 2))


def _elsewhere(result: TopicResult) -> TopicResult:
    """The same judgments, where every hit is of another page than the answers."""
    hits = tuple(Hit(rank, chunk_of(rank + 6), 0.2, 0.1) for rank in range(1, 6))
    return replace(result, hits=hits, labels=(None,) * 5)


def test_a_topic_that_loses_its_answer_from_the_first_hits_is_lost() -> None:
    before = topic_result(labels=FOUND, relevant=2)
    found = _lost([before], [_elsewhere(before)])
    assert found.answered == 1
    assert [(one.topic_id, one.url, one.is_gone) for one in found.lost] == [
        ("nodes-talk", before.hits[0].chunk.document.url, False)
    ]


def test_a_topic_whose_passages_are_gone_is_lost_and_says_so() -> None:
    before = topic_result(labels=FOUND, relevant=1)
    after = _elsewhere(topic_result(labels=NOT_FOUND, relevant=1, lost=[Anchoring.ORPHANED]))
    assert [one.is_gone for one in _lost([before], [after]).lost] == [True]


def test_a_topic_with_any_relevant_hit_among_the_first_ten_is_not_lost() -> None:
    before = topic_result(labels=FOUND, relevant=2)
    other = _elsewhere(before)
    after = replace(other, hits=(*other.hits, replace(before.hits[0], rank=6)), labels=(*other.labels, 2))
    assert _lost([before], [after]).lost == ()


def test_a_topic_that_the_live_generation_does_not_answer_cannot_be_lost() -> None:
    before = topic_result(labels=(0, 0, 0, 0, 0, 2), relevant=1, first=3)
    assert _lost([before], [_elsewhere(before)]) == LostTopics()


def test_an_answer_in_other_words_on_its_page_is_not_lost() -> None:
    before = topic_result(labels=FOUND, relevant=1)
    words = before.hits[0].chunk.text.replace("exchange messages", "send messages to each other")
    after = topic_result(labels=(None,), relevant=1, lost=[Anchoring.ORPHANED])
    after = replace(after, hits=(Hit(1, chunk_of(0, words), 0.5, 1.0),))
    found = _lost([before], [after])
    assert (found.lost, found.reworded) == ((), {"nodes-talk"})


def test_a_similar_section_that_was_not_among_the_live_hits_is_no_new_answer() -> None:
    before = topic_result(labels=FOUND, relevant=1)
    url = before.hits[0].chunk.document.url
    similar = before.hits[0].chunk.text.replace("exchange messages", "exchange services")
    after = topic_result(labels=(None,), relevant=1, lost=[Anchoring.ORPHANED])
    after = replace(after, hits=(Hit(1, chunk_of(0, similar), 0.5, 1.0),))
    resolved = {after.topic.id: _resolved(after)}
    texts = {url: f"{before.hits[0].chunk.text}\n\n{similar}"}
    found = find_lost_topics([before], [after], resolved, lambda _: texts)
    assert [one.is_gone for one in found.lost] == [True]
    assert find_lost_topics([before], [after], resolved, no_page_texts).reworded == {after.topic.id}


@pytest.mark.parametrize(("text", "lost"), [("Please sign in to continue.", 1), (chunk_of(0).text + " More.", 0)])
def test_a_judged_page_that_has_changed_answers_as_far_as_it_resembles_what_was_there(text: str, lost: int) -> None:
    before = topic_result(labels=(1,), relevant=1)
    url = before.hits[0].chunk.document.url
    topic = replace(before.topic, judgments=(Judgment(Passage(url=url), 1),))
    chunk = chunk_of(0, text)
    changed = Resolution(Anchoring.RE_ANCHORED, url, None, (chunk.id,))
    after = replace(before, topic=topic, hits=(Hit(1, chunk, 0.5, 1.0),), labels=(1,), resolutions=(changed,))
    assert len(_lost([before], [after]).lost) == lost


# --- the limit -----------------------------------------------------------------------------------------------------


def _losses(answers: Sequence[str], answered: int) -> LostTopics:
    lost = tuple(LostTopic(f"t{n}", answer, f"https://x/{answer}", True) for n, answer in enumerate(answers))
    return LostTopics(answered, lost)


@pytest.mark.parametrize(
    ("answers", "answered", "outcome"),
    [
        ("", 9, Outcome.PASS),
        ("a", 9, Outcome.PASS),
        ("ab", 9, Outcome.FAIL),
        ("aaa", 9, Outcome.PASS),
        ("ab", 40, Outcome.PASS),
        ("abc", 40, Outcome.FAIL),
    ],
)
def test_lost_topics_fail_from_two_answers_and_over_the_share(answers: str, answered: int, outcome: Outcome) -> None:
    found = lost_topics_finding(_losses(answers, answered), 0.05)
    assert (found.outcome, found.count) == (outcome, len(answers))
    assert [one.split(":")[0] for one in found.examples] == [f"t{number}" for number in range(len(answers))]


def test_allowing_removals_is_not_advised_if_they_are_allowed() -> None:
    assert "--allow-removals" in lost_topics_finding(_losses("ab", 9), 0.05).detail
    assert "--allow-removals" not in lost_topics_finding(_losses("ab", 9), 0.05, allow_removals=True).detail


def test_without_anything_live_no_topic_is_lost() -> None:
    assert lost_topics_finding(None, 0.05).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("obstacle", "outcomes"),
    [
        (Obstacle.DAMAGED, {"P@5 against live": Outcome.PASS, "no worse than live": Outcome.PASS}),
        (Obstacle.OTHER_MODEL, dict.fromkeys(["P@5 against live", "no worse than live"], Outcome.INCONCLUSIVE)),
        (
            Obstacle.UNREACHABLE,
            dict.fromkeys(["P@5 against live", "lost topics", "no worse than live"], Outcome.INCONCLUSIVE),
        ),
    ],
)
def test_a_live_generation_blocks_its_replacement_only_if_it_may_answer_again(
    obstacle: Obstacle, outcomes: dict[str, Outcome]
) -> None:
    limit = MeasureLimit("P@5", None, None, 0.02)
    not_compared = AgainstLive(problem="it is gone.", obstacle=obstacle)
    found = live_findings(not_compared, (limit,), no_worse=True, max_lost_topics=0.05)
    assert {one.check: one.outcome for one in found} == outcomes
    assert ("If that is intended" in found[0].detail) is (obstacle is Obstacle.OTHER_MODEL)


def test_a_pass_says_what_it_does_not_show() -> None:
    weak = Difference("RR", 9, 0.9, 0.8, -0.1, None, 0.2, 0.4, 0.54)
    said = AgainstLive(worse=(weak,), lost=_losses("a", 9)).notice
    assert said == " 1 topic lost its answer: t0 (https://x/a). This test set detects a fall of 0.54 or more."
    assert AgainstLive(worse=(replace(weak, detectable=0.03),), lost=LostTopics(9)).notice == ""


# --- other words ---------------------------------------------------------------------------------------------------


def test_a_text_that_keeps_most_of_its_words_is_reworded() -> None:
    before = "The passphrase protects the key; without the recovery sheet nobody can read the repository again."
    assert is_reworded(
        before, "A passphrase guards your key. Lose the recovery sheet, and no one reads the repository."
    )
    assert not is_reworded(before, "Please sign in to continue. Enter your user name and your password.")
    assert not is_reworded("", before)


def test_chinese_is_compared_by_pairs_of_characters() -> None:
    before = "没有密码短语和恢复表任何人都无法再次读取存储库。"
    assert is_reworded(before, "如果没有密码短语和恢复表谁也无法读取存储库。")
    assert not is_reworded(before, "请登录以继续。请输入您的用户名和密码。")


def test_sentences_that_were_there_before_say_nothing_new() -> None:
    page = "Logs rotate after ten megabytes of job logs. Support asks for the job id of the logs."
    quote = "Support asks for the job id"
    start = page.index(quote)
    replaced = Replaced.of([(page, [(start, start + len(quote))])])
    assert replaced.passages == ("Support asks for the job id of the logs.",)
    assert not replaced.is_said_by("Logs rotate after ten megabytes of job logs. More later.")
    assert replaced.is_said_by("Logs rotate after ten megabytes of job logs. Tell support the id of your job.")


def test_words_that_are_far_apart_are_no_new_wording() -> None:
    before = "The passphrase protects the key, and the recovery sheet opens the repository again."
    scattered = " ".join(
        f"Here is a {word} between quite different things, long lists, tools, colours and weather reports from afar."
        for word in ("passphrase", "key", "recovery", "sheet", "repository")
    )
    assert not is_reworded(before, scattered)
