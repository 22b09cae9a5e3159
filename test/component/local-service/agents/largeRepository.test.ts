import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import { findAgentSettings } from '../../../../src/local-service/agents/repositorySettings';
import { temporaryFolder } from '../../../support/temporaryRepository';

describe('the search for settings of agents in a large repository', () => {
  afterEach(() => mock.restoreAll());

  it('lets the service answer other requests between the files', async () => {
    const work = await temporaryFolder();
    await Promise.all(Array.from({ length: 20 }, (_, index) => writeFile(join(work, `${index}.md`), '')));
    let time = 0;
    mock.method(performance, 'now', () => (time += 1_000));
    const pauses = mock.method(globalThis, 'setImmediate');
    assert.deepEqual(await findAgentSettings(work), []);
    assert.ok(pauses.mock.callCount() >= 20, String(pauses.mock.callCount()));
  });
});
