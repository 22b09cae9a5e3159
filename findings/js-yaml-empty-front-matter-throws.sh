#!/usr/bin/env bash
# js-yaml 5: front matter, or a configuration file, that is empty or has only comments can't be loaded.
#
# Guess: `load` returns undefined or null, as version 4 does: an empty stream is valid YAML (1.2.2, section 9.2: zero or
#   more documents), and whoever comments out the last setting of a file has one.
# Seen: js-yaml 5.5.0. `load` throws "expected a document, but the input is empty", while `loadAll` of the same text
#   returns no document, and `load` of the same comment after `---` returns null. With 4.1.1, `load` returns null, and
#   `loadAll` one document. Neither the README nor the types of 5.5.0 say so: after the update, a program fails on the
#   first page whose front matter is `---`, a comment, `---`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > load.mjs <<'JS'
import * as yaml from 'js-yaml';
const text = '# title: Guide\n';
const tried = (load) => {
  try {
    return String(load());
  } catch (error) {
    return `throws: ${error.message.split('\n')[0]}`;
  }
};
console.log(tried(() => yaml.load(text)));
console.log(tried(() => yaml.loadAll(text).length));
console.log(tried(() => yaml.load(`---\n${text}`)));
JS
run() {
  mkdir "$1"
  npm install --prefix "$1" --silent --no-audit --no-fund --ignore-scripts "js-yaml@$1" > /dev/null
  cp load.mjs "$1/"
  echo "js-yaml $1:"
  node "$1/load.mjs" | tee "$1/out"
}
run 5.5.0
[ "$(cat 5.5.0/out)" = "$(printf 'throws: expected a document, but the input is empty\n0\nnull')" ] || { echo changed; exit 1; }
run 4.1.1
[ "$(cat 4.1.1/out)" = "$(printf 'null\n1\nnull')" ] || { echo changed; exit 1; }
