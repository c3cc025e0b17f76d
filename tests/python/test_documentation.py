"""The examples of the documentation do what they say."""
import doctest
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["README.md", "engine/bindings/README.md"])
def test_examples(name):
    # A fence ends an example as an empty line does.
    text = (ROOT / name).read_text(encoding="utf-8").replace("\n```", "\n\n")
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    assert test.examples
    result = doctest.DocTestRunner().run(test)
    assert result.failed == 0
