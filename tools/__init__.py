"""What only a checkout needs: benchmarks, generators of data, fits, demos. Not installed."""
