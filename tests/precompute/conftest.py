"""A dask cluster for all tests of builds: it takes longer to start than what they have it do."""

from collections.abc import Iterator

import pytest

from tests.precompute.clusters import LocalCluster, local_cluster


@pytest.fixture(scope="session")
def two_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    with local_cluster(tmp_path_factory.mktemp("cluster"), workers=2) as running:
        yield running
