import { deepStrictEqual } from 'node:assert/strict';
import type { Uri } from 'vscode';
import { ReviewLocations } from '../../../../../src/extension/features/pull-requests/reviewLocations';
import { VERSION_SCHEME } from '../../../../../src/extension/platform/fileVersions';

const rootUri = { path: '/docs', toString: () => 'file:///docs' } as Uri;

function documentOf(jobKey: string, commit: string, side: 'old' | 'new'): Uri {
  const query = JSON.stringify({ root: '/docs', commit, jobKey, side });
  return { scheme: VERSION_SCHEME, path: '/docs/a.md', query } as Uri;
}

describe('a document of an open change', () => {
  const open = (...changes: [jobKey: string, base: string, commit: string][]): ReviewLocations => {
    const places = new ReviewLocations({ get: () => undefined } as never, true);
    for (const [jobKey, base, commit] of changes) {
      places.show({ jobKey, repository: { rootUri }, base, commit, endedAt: 1 });
    }
    return places;
  };
  const placeOf = async (places: ReviewLocations, uri: Uri): Promise<unknown> => {
    const { jobKey, side } = (await places.get(uri)) ?? {};
    return [jobKey, side];
  };

  it('belongs to the job whose work it shows, even when another job’s work starts from it', async () => {
    const places = open(['one', 'c0', 'c1'], ['two', 'c1', 'c2']);
    deepStrictEqual(await placeOf(places, documentOf('one', 'c1', 'new')), ['one', 'new']);
    deepStrictEqual(await placeOf(places, documentOf('two', 'c1', 'old')), ['two', 'old']);
    deepStrictEqual(await placeOf(places, documentOf('two', 'c2', 'new')), ['two', 'new']);
  });

  it('counts as the version after a change, even when only later changes were opened since', async () => {
    const places = open(['one', 'c0', 'c1'], ['one', 'c1', 'c2']);
    deepStrictEqual(await placeOf(places, documentOf('one', 'c1', 'new')), ['one', 'new']);
    deepStrictEqual(await placeOf(places, documentOf('one', 'c1', 'old')), ['one', 'old']);
  });

  it('belongs to no job when its version is not part of an open change', async () => {
    const places = open(['one', 'c0', 'c1']);
    deepStrictEqual(await placeOf(places, documentOf('one', 'c0', 'new')), [undefined, undefined]);
    deepStrictEqual(await placeOf(places, documentOf('one', 'c2', 'new')), [undefined, undefined]);
    deepStrictEqual(await placeOf(places, documentOf('two', 'c0', 'old')), [undefined, undefined]);
  });
});
