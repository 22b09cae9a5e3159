#!/usr/bin/env bash
# Caddy: with `lb_policy least_conn`, a retry goes to the server that is down again, as long as the other one has a
# long response open.
#
# Guess: `lb_try_duration` says for how long Caddy looks for a server that is up, so a request that finds one of two
#   servers down goes to the other one at once. A server that can't be reached isn't the best one for the next try.
# Seen: Caddy 2.6.2. A server that is down has the fewest connections, because it has none. While someone reads a stream
#   of events from the other server, each try picks the one that is down, until the time is over, and the answer is 502.
#   With `fail_duration`, or with `round_robin`, the other server answers. Without an open stream, it does as well.
#   So `least_conn` needs `fail_duration`, in front of servers with long responses in particular.
# Needs Debian 12, from whose packages Caddy comes, and Node.js.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder
apt-get download caddy=2.6.2-5 > /dev/null 2>&1 || { echo "apt-get can't download caddy 2.6.2-5"; exit 1; }
dpkg -x caddy_*.deb .

# A server whose /stream never ends.
cat > server.mjs <<'JS'
import { createServer } from 'node:http';
const server = createServer((request, response) => {
  response.write('up\n');
  request.url === '/stream' || response.end();
});
// Ports at which nobody listens: one for the server that is down, and one for Caddy.
const closed = [createServer(), createServer()];
let open = 0;
for (const each of closed) each.listen(0, '127.0.0.1', () => (open += 1) === closed.length && next());
function next() {
  server.listen(0, '127.0.0.1', () => {
    console.log(server.address().port, ...closed.map((each) => each.address().port));
    closed.forEach((each) => each.close());
  });
}
JS
node server.mjs > ports &
until { read -r up down port < ports; } 2> /dev/null; do sleep 0.1; done

# try OPTIONS STREAM: the status of a request while somebody reads a stream, or nobody does
try() {
  printf '{\n admin off\n}\nhttp://127.0.0.1:%s {\n reverse_proxy 127.0.0.1:%s 127.0.0.1:%s {\n  lb_try_duration 2s\n  %s\n }\n}\n' \
    "$port" "$up" "$down" "${1//;/$'\n'}" > Caddyfile
  usr/bin/caddy run --config Caddyfile --adapter caddyfile > /dev/null 2>&1 &
  local caddy=$! stream=
  until curl --silent --output /dev/null "http://127.0.0.1:$port/"; do sleep 0.1; done
  if [ "$2" = stream ]; then
    curl --silent --no-buffer "http://127.0.0.1:$port/stream" > stream &
    stream=$!
    until [ -s stream ]; do sleep 0.1; done
  fi
  # What failed so far is forgotten.
  sleep 3
  local statuses=
  for _ in 1 2 3 4; do
    statuses+=" $(curl --silent --output /dev/null --write-out '%{http_code}' "http://127.0.0.1:$port/")"
  done
  echo "$1, $2:$statuses"
  kill $stream $caddy
  wait $stream $caddy 2> /dev/null || true
  rm -f stream
}
found=$(
  try 'lb_policy least_conn' 'no stream'
  try 'lb_policy least_conn' stream
  try 'lb_policy least_conn; fail_duration 2s' stream
  try 'lb_policy round_robin' stream
)
echo "$found"
expected='lb_policy least_conn, no stream: 200 200 200 200
lb_policy least_conn, stream: 502 502 502 502
lb_policy least_conn; fail_duration 2s, stream: 200 200 200 200
lb_policy round_robin, stream: 200 200 200 200'
[ "$found" = "$expected" ] || { echo "changed; expected: $expected"; exit 1; }
