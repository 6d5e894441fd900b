"""What the triggers of the sample workflow have written."""


def jobs(db, columns: str = "name, generation"):
    return db.execute(f"select {columns} from engine.job join samples on id::text = pk order by name").fetchall()


def priorities(db):
    return jobs(db, "name, priority, key")


def submissions(db):
    return db.execute("select workflow, rows from engine.submission order by id").fetchall()
