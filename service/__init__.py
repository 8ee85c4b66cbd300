"""Every way to ask: command line, HTTP, and the live search behind both."""
