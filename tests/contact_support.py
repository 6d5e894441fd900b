"""A domain's contacts, for tests of those who must not be among them."""


def smile_com(db):
    return db.execute("insert into domains (domain) values ('smile.com') returning id").fetchone()[0]


def add(db, domain, email=None, phone=None):
    db.execute("insert into contacts (domain_id, email, phone_number) values (%s, %s, %s)", [domain, email, phone])


def reached(db):
    return db.execute("select email, phone_number from contacts order by email").fetchall()
