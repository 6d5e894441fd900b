"""What people do to rows from the command line, as SQL: bring in, pick, correct, take out."""
