"""What `scrapersky migrate` refuses. Apart from it: whoever only prints the sentence needs no SQLAlchemy."""


class MigrationError(RuntimeError):
    pass
