"""What a person reads of a validation: the page, the comment, the file for a build server, and the advice."""
