"""Whether all that a book says holds together, and mending what does not.

What is checked is written once, here: `verify` tells the findings, `repair` applies what each of
them carries to mend it. Neither searches.
"""
