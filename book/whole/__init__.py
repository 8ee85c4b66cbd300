"""What is done with whole books: merged, pruned, compared, copied, summed up and drawn."""
