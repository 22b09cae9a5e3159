import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { Previews } from '../../../../src/extension/platform/previews';
import { MemoryMemento } from '../../../support/memoryStores';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const hosted = trackedJob({
  location: { service: 'https://docs.example', projectId: 'p' },
  snapshot: snapshot('completed', { ref: 'docs/limits' }),
});

describe('previews', () => {
  it('are offered for hosted jobs with a branch, unless the plan of their project has none', async () => {
    const memento = new MemoryMemento();
    const previews = new Previews(memento, log);
    let changes = 0;
    previews.onDidChange(() => (changes += 1));
    strictEqual(previews.isOffered(hosted), true);
    strictEqual(previews.isOffered({ ...hosted, snapshot: snapshot('completed') }), false);
    strictEqual(previews.isOffered({ ...hosted, location: { service: 'local', projectId: 'p' } }), false);
    await previews.learn(hosted.location, true);
    strictEqual(changes, 0);
    await previews.learn(hosted.location, false);
    const other = { ...hosted, location: { ...hosted.location, projectId: 'q' } };
    deepStrictEqual([previews.isOffered(hosted), previews.isOffered(other), changes], [false, true, 1]);

    const later = new Previews(memento, log);
    await later.learn(other.location, true);
    strictEqual(later.isOffered(hosted), false);
    await later.learn(hosted.location, true);
    strictEqual(later.isOffered(hosted), true);
  });
});
