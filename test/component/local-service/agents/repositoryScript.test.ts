import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refuseRepositoryScript } from '../../../../src/local-service/agents/repositoryScript';
import { temporaryFolder } from '../../../support/temporaryRepository';

describe('the user’s own agent command', () => {
  let folder = '';
  before(async () => {
    folder = await temporaryFolder();
    await writeFile(join(folder, 'x.js'), '');
    await writeFile(join(folder, 'tool'), '');
    await writeFile(join(folder, 'page.md'), '');
  });

  const REFUSED = [
    'python3 -m aider --yes',
    'python3 -X utf8 -m aider',
    'python3 -bW ignore -c code',
    '/usr/bin/python3.12 -um aider',
    'py -3 -m aider',
    'python -c code',
    'python -',
    'env A=1 -u B python3 -m aider',
    '/usr/bin/timeout -k 5 60 make agent',
    'timeout -s KILL 60 make agent',
    'timeout --signal KILL 60 make agent',
    'stdbuf -o L nice -n 5 make agent',
    'sudo -s make agent',
    'node --run agent',
    'node --env-file /agent.env --run=agent',
    'make agent',
    'make -f Makefile agent',
    'just agent',
    'npm run agent',
    'npm start',
    'pnpm agent',
    'yarn agent',
    'bun run agent',
    'bun run docs:agent',
    'deno task agent',
    'uv run agent',
    'uv run --with aider aider',
    'poetry run aider',
    'cargo run',
    'go run .',
    'nix run .#agent',
    'mise run agent',
    'docker compose run agent',
    'docker compose -f compose.yml run agent',
    'docker-compose run agent',
    'pipx run tool',
    'node x.js',
    'node -r./x.js /agent.js',
    'node --require=./x.js /agent.js',
    'agent --hook x.js',
    'tsx /agent.ts',
    'npx tsx /agent.ts',
    'npx -y tsx@4 /agent.ts',
    'npx -p tsx tsx /agent.ts',
    'npm exec -- tsx /agent.ts',
    'bun x nodemon /agent.js',
    'pnpm dlx ts-node@10.9.2 /agent.ts',
    'yarn dlx vite-node /agent.ts',
    'node -r dotenv/config /agent.js',
    'node --import tsx /agent.js',
    'node --import=tsx /agent.js',
    'node --require dotenv/config /agent.js',
    'node --no-warnings --experimental-loader loader /agent.js',
  ];
  for (const command of REFUSED) {
    it(`is refused when the repository decides what runs: ${command}`, () =>
      assert.rejects(refuseRepositoryScript(command.split(' '), folder), /a repository can’t decide what runs/));
  }

  const TAKEN = [
    'aider --yes --read page.md',
    'python3 -P -m aider',
    'python3 -X utf8 -P -m aider',
    'python3 -W ignore /agent.py -m message',
    'python3 -Im aider',
    'python3 /agent.py -m message',
    'make -f /agent/Makefile agent',
    'make -C/agent agent',
    'just --justfile=/agent/justfile agent',
    'npx -y opencode-ai acp',
    'npm exec -- opencode-ai acp',
    'pnpm dlx opencode-ai acp',
    'bunx opencode-ai',
    'bun x opencode-ai',
    'bun run /agent.ts',
    'deno run -A npm:opencode-ai',
    'uvx aider',
    'uv tool run aider',
    'uv --directory /agent run aider',
    'go run example.com/agent@latest',
    'dotnet /agent.dll',
    'docker run -i agent',
    'docker compose -f /agent/compose.yml run agent',
    'node /agent.js',
    'timeout 60 aider',
    'timeout -s KILL 60 aider --message make',
    'node /agent.js --run make',
    'npx -y @zed-industries/tsx-agent tsx',
    'npx -y @agents/tsx acp',
    'tsx --tsconfig /agent/tsconfig.json /agent.ts',
    'npx tsx --tsconfig=/agent/tsconfig.json /agent.ts',
    'ts-node --project /agent/tsconfig.json /agent.ts',
    'node -r /hook.js /agent.js',
    'node --import file:///hook.js /agent.js',
    'node --import=/hook.js /agent.js -r hook',
  ];
  for (const command of TAKEN) {
    it(`is accepted when the repository does not decide what runs: ${command}`, () =>
      refuseRepositoryScript(command.split(' '), folder));
  }
});
