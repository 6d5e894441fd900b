#!/bin/sh
# The postgres image runs this once, when it has made a new cluster: the application gets a role and a database of its own,
# and is no superuser.
set -eu
# Checked here, because psql would take an unreadable file for an empty password, and Postgres that for none.
password=$(cat "${DATABASE_PASSWORD_FILE:-}") || password=
if [ -z "$password" ]; then
    echo "DATABASE_PASSWORD_FILE: expected a readable file with the password for $APPLICATION, got '${DATABASE_PASSWORD_FILE:-}';" \
        "run deploy/make-secrets, remove the volume of this new cluster (docker compose down --volumes) and start again" >&2
    exit 1
fi
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --set=application="$APPLICATION" --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
\set password `cat "$DATABASE_PASSWORD_FILE"`
create role :"application" login createrole password :'password';
create database :"application" owner :"application";
-- So that why can name whoever holds a lock; migrate hands it on to the role that answers.
grant pg_read_all_stats to :"application" with admin option;
SQL
