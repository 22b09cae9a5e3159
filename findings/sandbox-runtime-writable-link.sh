#!/usr/bin/env bash
# Sandbox runtime (srt) on Linux: a folder that `allowWrite` names through a symbolic link stays read-only.
#
# Guess: `allowWrite` takes paths as programs do, so a link stands for the folder it leads to. Otherwise, srt says what is
#   wrong with its settings, as it does for a host name without a dot.
# Seen: @anthropic-ai/sandbox-runtime 0.0.78 with bubblewrap. The setting is accepted without a word, and every write fails
#   with “Read-only file system”, whether it names the link or the folder. With the real path in the setting, both work.
#   So a home folder behind a link has to be resolved before it is written into the settings.
# Needs bubblewrap, socat and ripgrep (packages of those names in Debian), and user namespaces.
set -euo pipefail
for program in bwrap socat rg; do
  command -v "$program" > /dev/null || { echo "$program is missing"; exit 1; }
done
folder=$(realpath "$(mktemp -d)")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @anthropic-ai/sandbox-runtime@0.0.78 > /dev/null
mkdir real
ln -s real link
# try SETTING WRITTEN: whether a file can be written at one path if the setting names the other
try() {
  cat > settings.json <<JSON
{
  "network": { "allowedDomains": ["example.org"], "deniedDomains": [] },
  "filesystem": { "denyRead": [], "allowRead": [], "allowWrite": ["$folder/$1"], "denyWrite": [] }
}
JSON
  if words=$(node_modules/.bin/srt --settings settings.json -- touch "$2/file" 2>&1); then
    echo "allowWrite $1, write to $2: done"
  else
    echo "allowWrite $1, write to $2: ${words##*: }"
  fi
}
found=$(try real real; try real link; try link real; try link link)
echo "$found"
expected='allowWrite real, write to real: done
allowWrite real, write to link: done
allowWrite link, write to real: Read-only file system
allowWrite link, write to link: Read-only file system'
[ "$found" = "$expected" ] || { echo "changed; expected: $expected"; exit 1; }
