"""Findings as the commands print them: each kind a few times, and how many there were."""

from collections import Counter
from typing import Any

from book.integrity.findings import Finding, Kind
from fivebook.console import say

_SHOWN = 20


class Report:
    """Takes findings in as they come, and holds no more of them than are shown."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self.kinds: Counter[Kind] = Counter()
        self._shown: list[Finding] = []

    def add(self, finding: Finding) -> None:
        """Count a finding, and print it unless there were many like it or all are wanted later."""
        self.kinds[finding.kind] += 1
        if self.kinds[finding.kind] > _SHOWN:
            return
        if self._quiet:
            self._shown.append(finding)
        else:
            say(str(finding))

    def print_rest(self) -> None:
        """Tell how many findings were not printed."""
        for kind, count in self.kinds.items():
            if count > _SHOWN:
                say(f"{kind}: {count - _SHOWN:,} more")

    def as_dict(self, name: str) -> dict[str, Any]:
        """The numbers by kind, and under `name` what would have been printed."""
        return {
            "kinds": {str(kind): count for kind, count in self.kinds.items()},
            name: [
                {
                    "kind": str(finding.kind),
                    "where": finding.where,
                    "found": finding.found,
                    "expected": finding.expected,
                }
                for finding in self._shown
            ],
        }
