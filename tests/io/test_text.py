from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import assay
from assay.errors import InputError
from assay.io.problems import Problems
from assay.io.text import Layout, _normalize_space, _parse_clean, parse_carefully, parse_number, parse_rows, strip_bom
from assay.io.trec import QRELS, RUN, RUN_WITH_RANK

PLAIN = [b"q1", b"001", b"d2", b"Q0", b"0"]
ODD = [
    *[b"#x", b"d#1", b'"a', b'b"', b"'", b",", b";", b"\\", b"\x1c", b"\xff", b"\0", b"", b"\xef\xbb\xbf"],
    *[text.encode() for text in ("é", "a\u00a0b", "\u3000", "x\x85y", "文書")],
]
NUMBERS = [b"1", b"-1", b"+1.5", b"1.", b".5", b"1e5", b"-2E-3", b"1e-400", b"-0", b"0.30000000000000004", b"1" * 30]
NOT_NUMBERS = [b"inf", b"nan", b"1e400", b"0x1", b"1_0", b"x", b"1e", b"+", b"\xef\xbc\x91", b'"1"']
SEPARATORS = [b"\t", b"  ", b" \t ", b"\r", b"\v", b"\f"]


def draw_mostly(common: st.SearchStrategy[bytes], rare: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    return st.integers(0, 9).flatmap(lambda roll: rare if roll == 0 else common)


@st.composite
def lines(draw: st.DrawFn, layout: Layout, separator: bytes) -> bytes:
    fields = [draw(draw_mostly(st.sampled_from(PLAIN), st.sampled_from(ODD))) for _ in layout.columns]
    position = layout.columns.index(layout.number)
    fields[position] = draw(draw_mostly(st.sampled_from(NUMBERS), st.sampled_from(NOT_NUMBERS)))
    width = draw(st.sampled_from([len(fields)] * 9 + [len(fields) - 1, len(fields) + 1]))
    fields = [*fields, b"extra"][:width]
    between = draw_mostly(st.just(separator), st.sampled_from(SEPARATORS))
    line = b"".join(draw(between) + field for field in fields)
    return draw(draw_mostly(st.just(line[1:]), st.sampled_from([line, line + b" ", b" \t" + line, line + b"\r"])))


@st.composite
def texts(draw: st.DrawFn, layout: Layout) -> bytes:
    separator = draw(st.sampled_from([b" ", b" ", b"\t"]))
    ignored = st.sampled_from([b"", b"  ", b"# c", b" # c d e f", b"#", b"#a b c d e f g", b"# \xff"])
    body = draw(st.lists(draw_mostly(lines(layout, separator), ignored), min_size=1, max_size=5))
    return draw(st.sampled_from([b"\n", b"\n", b"\r\n"])).join(body) + draw(st.sampled_from([b"\n", b"", b"\n\n"]))


@pytest.mark.parametrize("layout", [QRELS, RUN, RUN_WITH_RANK], ids=["qrels", "run", "run with rank"])
def test_fast_parser_agrees_with_careful_parser(layout: Layout) -> None:
    @settings(max_examples=250, deadline=None)
    @example(b"q1 0 d1 1\nq1 0 d2 1 2\n")
    @example(b"q1 0 d1 1\nq1  d2 1\n")
    @example(b"q1 0 d1 1\n\xef\xbb\xbfq1 0 d2 1\n")
    @example(b"\n\xef\xbb\xbfq1 0 d2 1\n")
    @given(texts(layout))
    def check_agreement(data: bytes) -> None:
        try:
            frame, lines = parse_carefully(data, layout, "f", Problems("f"))
        except InputError as error:
            frame, message = None, str(error)
        # Any text that the fast parser accepts, the careful parser reads identically.
        for fast in (
            _parse_clean(data, layout),
            _parse_clean(_normalize_space(data), layout) if b"\0" not in data else None,
        ):
            assert fast is None or (frame is not None and fast.equals(frame))
        if not data.strip():
            return
        if frame is None:
            with pytest.raises(InputError) as info:
                parse_rows(data, layout, "f", Problems("f"))
            assert str(info.value) == message
        else:
            parsed, locate = parse_rows(data, layout, "f", Problems("f"))
            assert parsed.equals(frame)
            assert [locate(row) for row in range(len(parsed))] == [f"f:{line}" for line in lines.tolist()]

    check_agreement()


@pytest.mark.parametrize(
    "text",
    ["1", "-1", "+1.5", "1.", ".5", "1e5", "1E+05", "-2.5e-3", "00012", "123456789012345678901234567890", "4.9e-324"],
)
def test_numbers(text: str) -> None:
    assert parse_number(text) == float(text)
    frame = _parse_clean(f"q 0 d {text}\n".encode(), QRELS)
    assert frame is not None
    assert frame["value"].to_list() == [float(text)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "inf",
        "+inf",
        "nan",
        "infinity",
        "1e400",
        "-1e400",
        "9" * 400,
        "0x1p3",
        "1_000",
        "１",
        "1,5",
        ".",
        "1e",
        "1 ",
        "1f",
    ],
)
def test_invalid_numbers_are_rejected(text: str) -> None:
    assert parse_number(text) is None
    assert _parse_clean(f"q 0 d {text}\n".encode(), QRELS) is None


def test_tiny_number_is_zero() -> None:
    assert parse_number("1e-400") == 0.0


@pytest.mark.parametrize(
    "line",
    [
        b"q Q0 d 1 2.5 t x",
        b"q Q\xff d 1 2.5 t",
        b"q Q0 d 1 2.5",
        b"q  d 1 2.5 t",
        b"q Q0 d 1 inf t",
        b"",
        b"q\tQ0 d 1 2.5 t",
    ],
)
def test_irregular_line_in_the_middle_is_detected(line: bytes) -> None:
    clean = [b"%d Q0 doc%d %d %.4f t" % (i // 100, i, i % 100, 1 / (1 + i)) for i in range(20_000)]
    for layout in (RUN, RUN_WITH_RANK):
        assert _parse_clean(b"\n".join([*clean, line, *clean]), layout) is None
        whole = _parse_clean(b"\n".join([*clean, b"# a comment with blanks", *clean]), layout)
        assert whole is not None
        assert len(whole) == 40_000


def test_line_numbers_count_blank_lines_and_comments() -> None:
    data = b"# one\n\nq1 0 d1 1\n  # four\n \t\nq1\t0\td2  0\r\n"
    frame, locate = parse_rows(data, QRELS, "f", Problems("f"))
    assert frame.rows() == [("q1", "d1", 1.0), ("q1", "d2", 0.0)]
    assert [locate(0), locate(1)] == ["f:3", "f:6"]


def test_line_numbers_of_the_careful_parser() -> None:
    problems = Problems("f", lenient=True)
    frame, locate = parse_rows(b"q1 0 d1 1\nq1 0\n\n#\nq1 0 d2 0\n", QRELS, "f", problems)
    assert frame["doc"].to_list() == ["d1", "d2"]
    assert [locate(0), locate(1)] == ["f:1", "f:5"]


def test_long_number_is_shortened_in_the_message() -> None:
    with pytest.raises(InputError) as error:
        parse_rows(b"q 0 d " + b"9" * 1000, QRELS, "f", Problems("f"))
    assert len(str(error.value)) < 120


def test_byte_order_marks_and_encodings() -> None:
    assert strip_bom(b"\xef\xbb\xbfq1", "f") == b"q1"
    assert strip_bom(b"q1\xef\xbb\xbf", "f") == b"q1\xef\xbb\xbf"
    assert strip_bom(b"", "f") == b""
    for text, message in [
        ("q1".encode("utf-16-le"), "f: is a binary file, not text"),
        (b"\xfe\xff\0q", "f: is UTF-16 text; save it as UTF-8"),
        (bytes(range(256)), "f: is a binary file, not text"),
    ]:
        with pytest.raises(InputError) as error:
            strip_bom(text, "f")
        assert str(error.value) == message


def test_random_bytes_are_binary() -> None:
    import random

    for seed in range(20):
        with pytest.raises(InputError, match="binary"):
            strip_bom(b"x" + random.Random(seed).randbytes(5000), "f")


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.parametrize("lines", [3, 50_000])
@pytest.mark.parametrize("options", [{}, {"memory": "400M"}])
def test_cr_line_endings_are_reported_with_little_memory(tmp_path, monkeypatch, lines, end, options):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mac.run").write_bytes(b"\r".join(b"1 Q0 d%d 1 2 x" % doc for doc in range(lines)) + end)
    (tmp_path / "mac.qrels").write_bytes(b"\r".join(b"1 0 d%d 1" % doc for doc in range(lines)) + end)
    for qrels, runs in (({"1": {"d1": 1}}, "mac.run"), ("mac.qrels", {"1": {"d1": 1.0}})):
        tracemalloc.start()
        with pytest.raises(InputError, match=r"mac[^;]*(: |; )lines end in CR; .*LF.*tr"):
            assay.evaluate(qrels, runs, "AP", **options)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 8 << 20


def test_long_line_takes_little_memory():
    line = b"1 Q0 d 1 2 x " * 200_000
    tracemalloc.start()
    with pytest.raises(InputError, match=r"f:2: expected 6 columns .*, found more than 6"):
        parse_rows(b"1 Q0 d 1 2 x\n" + line, RUN, "f", Problems("f"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * len(line)
