#!/usr/bin/env bash
# Asciidoctor: a dash or an ellipsis between two words of a heading joins them in the heading's ID.
#
# Guess: like every other character that can't be in an ID, " -- ", "--" and "..." become one separator, so that
#   "Install -- now" has the ID _install_now, as "Install - now" and "Input -> output" show.
# Seen: asciidoctor 4.1.0 (JavaScript) and 3.0.4 (transpiled from Asciidoctor 2.0.20). The replacements of typography
#   come before the ID is made. " -- " becomes a thin space, an em dash and a thin space, and "--" and "..." get a
#   zero-width space. All of these are removed from the ID, although the first two look like spaces:
#     Install -- now   _installnow          read--write   _readwrite          a...b   _ab
#     Install - now    _install_now         read-write    _read_write         a.b     _a_b
#   So whoever writes <<_install_now>>, or checks links by replacing what isn't a letter, is wrong without a warning.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf '= Guide\n' > guide.adoc
for heading in 'Install -- now' 'Install - now' 'read--write' 'read-write' 'a...b' 'a.b' 'Input -> output'; do
  printf '\n== %s\n\nText.\n' "$heading" >> guide.adoc
done
expected='_installnow _install_now _readwrite _read_write _ab _a_b _input_output '
for version in 4.1.0 3.0.4; do
  mkdir "$version"
  npm install --prefix "$version" --silent --no-audit --no-fund --ignore-scripts "asciidoctor@$version" > /dev/null
  found=$("$version/node_modules/.bin/asciidoctor" -e -o - guide.adoc | sed -n 's/.*<h2 id="\([^"]*\)".*/\1/p' | tr '\n' ' ')
  echo "asciidoctor $version: $found"
  [ "$found" = "$expected" ] || { echo "changed; expected: $expected"; exit 1; }
done
