import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { Previews } from '../../../../src/extension/platform/previews';
import { MemoryMemento } from '../../../support/memoryStores';
import { snapshot, trackedJob } from '../../../support/trackedJob';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const hosted = trackedJob({
  home: { service: 'https://docs.example', projectId: 'p' },
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
    strictEqual(previews.isOffered({ ...hosted, home: { service: 'local', projectId: 'p' } }), false);
    await previews.learn(hosted.home, true);
    strictEqual(changes, 0);
    await previews.learn(hosted.home, false);
    const other = { ...hosted, home: { ...hosted.home, projectId: 'q' } };
    deepStrictEqual([previews.isOffered(hosted), previews.isOffered(other), changes], [false, true, 1]);

    const later = new Previews(memento, log);
    await later.learn(other.home, true);
    strictEqual(later.isOffered(hosted), false);
    await later.learn(hosted.home, true);
    strictEqual(later.isOffered(hosted), true);
  });
});
