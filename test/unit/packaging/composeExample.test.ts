import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { parseManage } from '../../../src/team-service/teamCommandLine';
import { type ComposeService, composeExample } from '../../support/composeExample';

const VALUES = { POSTGRES_PASSWORD: 'Secret1', PUBLIC_URL: 'https://jobs.example.com' };

describe('Compose example of the service for a team', () => {
  let services: Record<string, ComposeService>;
  before(async () => (services = await composeExample('deploy/compose.yaml', VALUES)));

  it('restarts every container, and gives none more rights than it needs', () => {
    assert.deepEqual(Object.keys(services), ['database', 'api-1', 'api-2', 'worker-1', 'worker-2', 'proxy']);
    for (const [name, { restart, read_only: isReadOnly, cap_drop: dropped, security_opt: options }] of Object.entries(
      services,
    )) {
      const found = [restart, isReadOnly, dropped, options];
      assert.deepEqual(found, ['unless-stopped', true, ['ALL'], ['no-new-privileges:true']], name);
    }
  });

  it('gives each worker its own volumes, and API processes none', () => {
    const volumes = Object.fromEntries(Object.entries(services).map(([name, service]) => [name, service.volumes]));
    assert.deepEqual(
      [volumes['worker-1'], volumes['worker-2'], volumes['api-1'], volumes['api-2']],
      [
        ['worker-1:/data', 'worker-1-home:/home/node'],
        ['worker-2:/data', 'worker-2-home:/home/node'],
        undefined,
        undefined,
      ],
    );
  });

  it('understands the commands that the documentation shows', async () => {
    const text = await readFile('docs/team-service.md', 'utf8');
    const commands = [...text.matchAll(/^ *docker compose run --rm api-1 (.+)$/gm)].map(([, words = '']) => words);
    assert.equal(commands.length, 3);
    for (const words of commands) {
      parseManage(words.split(' '), services['api-1']?.environment ?? {}, 0);
    }
  });
});
