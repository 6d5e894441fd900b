"""`scrapersky doctor`: looks at everything between a status and its work, and says what to do about what is wrong."""
