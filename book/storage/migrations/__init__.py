"""The history of the schema, one module a revision; run by `book.storage.revisions`."""
