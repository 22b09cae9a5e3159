import { deepStrictEqual, rejects } from 'node:assert/strict';
import { streamEntries } from '../../../src/git/streamEntries';

/** A git that prints in chunks of this size. */
function gitThatPrints(printed: Buffer, size: number) {
  return {
    async *stream(): AsyncGenerator<Uint8Array, void> {
      for (let at = 0; at < printed.length; at += size) {
        yield printed.subarray(at, at + size);
      }
    },
  };
}

async function all(lists: AsyncIterable<string[]>): Promise<string[]> {
  const entries: string[] = [];
  for await (const list of lists) {
    entries.push(...list);
  }
  return entries;
}

describe('streamEntries', () => {
  const printed = Buffer.from('a b.md\0\nü.md\0\0last.md\0');
  for (const size of [1, 7, 1000]) {
    it(`returns every entry of output that arrives in chunks of ${size} bytes`, async () => {
      const entries = streamEntries(gitThatPrints(printed, size), { folder: '/' }, []);
      deepStrictEqual(await all(entries), ['a b.md', '\nü.md', '', 'last.md']);
    });
  }

  it('keeps the bytes of names that are not UTF-8', async () => {
    const bytes = Buffer.from('caf\xe9\0', 'latin1');
    const entries = streamEntries(gitThatPrints(bytes, 100), { folder: '/' }, [], { encoding: 'latin1' });
    deepStrictEqual(await all(entries), ['caf\xe9']);
  });

  it('refuses an entry that is longer than any path', async () => {
    const endless = gitThatPrints(Buffer.alloc(1_000_000, 'n'), 65_536);
    await rejects(all(streamEntries(endless, { folder: '/' }, [])), /too long/);
  });
});
