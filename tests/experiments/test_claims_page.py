"""The page of claims in docs/reference is what the experiments give."""

from __future__ import annotations

from tests.experiments.conftest import ResultOf
from tools.reference.claims import claims_page
from tools.reference.write import CLAIMS, FOLDER


def test_the_page_of_claims_is_what_the_experiments_give(result_of: ResultOf) -> None:
    # Renew it with: make reference.
    assert (FOLDER / CLAIMS).read_text("utf-8") == claims_page(result_of)
