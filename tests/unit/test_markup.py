import pytest

from actors.parse.markup import text_end


@pytest.mark.parametrize(
    ("name", "content", "rest"),
    [
        ("script", "a </b> c", "</SCRIPT >"),
        ("script", "a </scripts> b", "</script/>"),
        ("script", "a </\u017fcript> b", "</script>"),
        ("script", "a <!-- <script> </script> --> b", "</script>"),
        ("script", "a <!-- b", "</script> -->"),
        ("style", "a </ style> <!-- ", "</Style\n> -->"),
        ("title", "a", ""),
        ("title", "a </title", ""),
        ("plaintext", "a </plaintext>", ""),
    ],
)
def test_an_element_of_text_ends_where_the_parser_ends_it(name, content, rest):
    text = content + rest

    assert text_end(text, name, 0) == len(content)
