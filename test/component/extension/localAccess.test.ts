import assert from 'node:assert/strict';
import { workspace } from '../../support/fakeEditor';
import { Redactor } from '../../../src/base/redact';

const KEY = 'mint_thisIsAKeyOfTheUser123';
const HOME = { service: 'local', projectId: 'p' };

describe('LocalAccess', () => {
  async function access() {
    const { LocalAccess } = await import('../../../src/extension/platform/localAccess');
    const { ServiceError } = await import('../../../src/protocol/errors');
    const keys = new Redactor();
    keys.add(KEY);
    const client = {
      async *jobs() {
        yield { id: 'j1', status: 'failed', error: `The agent printed ${KEY}` };
      },
      agents: () => Promise.resolve({ chosen: `an agent at /opt/${KEY}` }),
      mergeJob: () => Promise.reject(new ServiceError('rejected', { effect: 'refused', detail: `Git said ${KEY}` })),
    };
    const service = { startOrConnect: () => Promise.resolve({ baseUrl: 'http://127.0.0.1:1', apiKey: 'x' }) };
    return new LocalAccess({
      service,
      client: () => Promise.resolve(client),
      keys,
      agentFound: () => undefined,
    } as never);
  }

  before(() => Object.assign(workspace, { getConfiguration: () => ({ get: () => undefined }) }));
  after(() => delete workspace['getConfiguration']);

  it('redacts known keys in answers and refusals', async () => {
    const local = await access();
    assert.equal((await local.findJob(HOME, () => true))?.error, 'The agent printed [secret]');
    assert.ok(!JSON.stringify(await local.agents()).includes(KEY));
    await assert.rejects(local.merge(HOME, 'j1', {} as never), (error) => !JSON.stringify(error).includes(KEY));
  });
});
