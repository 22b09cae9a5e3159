#!/usr/bin/env bash
# pg: where a role or a database has another DateStyle than ISO, each timestamp is read as null.
#
# Guess: a column that is NOT NULL never reads as null. The driver either sets DateStyle to ISO when it connects, as JDBC's
#   does and libpq lets PGDATESTYLE do, or it returns text that it can't parse, or throws.
# Seen: pg 8.23.1 with its own parser, and text as PostgreSQL writes it (here PGlite 0.5.16): with `ALTER ROLE … SET
#   datestyle = 'German'` (or SQL, or Postgres, the other two styles), timestamp, timestamptz, and date are all null, without
#   an error. A program that writes back what it has read, such as pg-boss 12.38.0, then fails in another place: "null value
#   in column "started_on"". `SET datestyle = ISO` in each session helps.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund --ignore-scripts pg@8.23.1 @electric-sql/pglite@0.5.16 > /dev/null
cat > read.mjs <<'JS'
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
const server = await PGlite.create();
const types = { timestamptz: 1184, timestamp: 1114, date: 1082 };
for (const style of ['ISO', 'German', 'SQL', 'Postgres']) {
  await server.exec(`SET datestyle = ${style}; SET timezone = 'UTC'`);
  for (const [type, id] of Object.entries(types)) {
    const { rows } = await server.query(`SELECT '2026-12-24 10:00:00'::${type}::text AS text`);
    console.log(style, type, rows[0].text, '->', pg.types.getTypeParser(id)(rows[0].text) === null ? 'null' : 'a date');
  }
}
JS
node read.mjs | tee out
[ "$(grep -c '^ISO .* -> a date$' out)" = 3 ] && [ "$(grep -c -e '-> null$' out)" = 9 ] || { echo changed; exit 1; }
