import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import type { ServiceAbility } from '../../../../src/client';
import { DEFAULT_ORIGIN } from '../../../../src/extension/platform/apiKeys';
import { ServiceAbilities } from '../../../../src/extension/platform/serviceAbilities';
import { LOCAL_SERVICE, type ServiceLocation } from '../../../../src/jobs/events';

const at = (service: string): ServiceLocation => ({ service, baseUrl: service, projectId: 'docs' });
const team = at('https://jobs.example');

describe('ServiceAbilities', () => {
  let now = 0;
  let asked: string[] = [];
  let answer: () => Promise<ReadonlySet<ServiceAbility>>;
  const create = () =>
    new ServiceAbilities({
      read: ({ baseUrl = '' }) => {
        asked.push(baseUrl);
        return answer();
      },
      now: () => now,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
  beforeEach(() => {
    [now, asked] = [0, []];
    answer = async () => new Set(['cancel'] as const);
  });

  it('asks a service once, and again after ten minutes', async () => {
    const abilities = create();
    strictEqual(abilities.of(team).size, 0);
    await Promise.all([abilities.find(team), abilities.find(team)]);
    deepStrictEqual([...abilities.of(team)], ['cancel']);
    now = 599_999;
    await abilities.find(team);
    strictEqual(asked.length, 1);
    now = 600_000;
    answer = async () => new Set();
    strictEqual((await abilities.find(team)).size, 0);
    strictEqual(asked.length, 2);
  });

  it('keeps what it knows if the service does not answer', async () => {
    const abilities = create();
    await abilities.find(team);
    now = 1_000_000;
    answer = () => Promise.reject(new Error('unreachable'));
    deepStrictEqual([...(await abilities.find(team))], ['cancel']);
    answer = async () => new Set(['follow'] as const);
    deepStrictEqual([...(await abilities.find(team))], ['follow']);
  });

  it('asks neither the local service, which has everything, nor the default one, which has nothing more', async () => {
    const abilities = create();
    strictEqual((await abilities.find({ service: LOCAL_SERVICE, projectId: 'docs' })).size, 3);
    strictEqual((await abilities.find(at(DEFAULT_ORIGIN))).size, 0);
    deepStrictEqual(asked, []);
  });

  it('remembers a limited number of services', async () => {
    const abilities = create();
    for (let index = 0; index <= 20; index++) {
      await abilities.find(at(`https://${index}.example`));
    }
    strictEqual(abilities.of(at('https://0.example')).size, 0);
    strictEqual(abilities.of(at('https://20.example')).size, 1);
  });
});
