import assert from 'node:assert/strict';
import { nearestNames } from '../../../../../src/extension/features/prompt/context/findFiles';

describe('nearestNames', () => {
  const many = Array.from(
    { length: 100_000 },
    (_, index) => `${'d/'.repeat(index % 9)}page${(index * 7919) % 100_000}.md`,
  );

  it('returns the least nested names first, then by path, ignoring case', async () => {
    const names = ['b/a.md', 'z.md', 'a/b/a.md', 'A.md', 'a/x.txt'];
    assert.deepEqual(await nearestNames(names, '.MD', 3), { names: ['A.md', 'z.md', 'b/a.md'], hasMore: true });
    assert.deepEqual(await nearestNames(names, '', 5), {
      names: ['A.md', 'z.md', 'a/x.txt', 'b/a.md', 'a/b/a.md'],
      hasMore: false,
    });
  });

  it('returns the same names as sorting all of them', async () => {
    const depth = (name: string): number => name.split('/').length;
    const sorted = many.toSorted((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1));
    assert.deepEqual(await nearestNames(many, '', 1_000), { names: sorted.slice(0, 1_000), hasMore: true });
  });

  it('searches in small steps that let other work run', async () => {
    let turns = 0;
    let ticking = true;
    const tick = (): void => {
      turns += 1;
      if (ticking) {
        setImmediate(tick);
      }
    };
    setImmediate(tick);
    await nearestNames(many, 'page', 10_000);
    ticking = false;
    assert.ok(turns >= 20, `${turns} turns`);
  });

  it('stops when the search is cancelled', async () => {
    let asked = 0;
    const found = await nearestNames(many, '', 50, () => ++asked > 2);
    assert.deepEqual(found, { names: [], hasMore: false });
    assert.equal(asked, 3);
  });
});
