import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PresenceFiles } from '../../../../src/jobs/store/presenceFiles';

const [ONE, TWO] = ['a'.repeat(20), 'b'.repeat(20)];

describe('PresenceFiles', () => {
  let root: string;

  beforeEach(async () => {
    root = join(await mkdtemp(join(tmpdir(), 'windows-')), 'windows');
  });
  afterEach(() => rm(join(root, '..'), { recursive: true, force: true }));

  it('announces windows with their notes to each other until one withdraws', async () => {
    const [one, two] = [new PresenceFiles(root), new PresenceFiles(root)];
    assert.deepEqual(await one.announce(ONE, 'first'), []);
    const [heard] = await two.announce(TWO, '');
    assert.ok(heard !== undefined && heard.ageMs < 10_000);
    assert.deepEqual([heard.window, heard.note], [ONE, 'first']);
    await one.announce(ONE, 'second');
    assert.equal((await two.announce(TWO, ''))[0]?.note, 'second');
    one.withdraw(ONE);
    assert.deepEqual(await two.announce(TWO, ''), []);
  });

  it('returns the age of an announcement and treats one from the future as equally old', async () => {
    const [one, two] = [new PresenceFiles(root), new PresenceFiles(root)];
    await one.announce(ONE, '');
    for (const hours of [-2, 2]) {
      const at = new Date(Date.now() + hours * 3_600_000);
      await utimes(join(root, ONE), at, at);
      const age = (await two.announce(TWO, ''))[0]?.ageMs ?? 0;
      assert.ok(Math.abs(age - 7_200_000) < 60_000, `${age}`);
    }
  });

  it('deletes abandoned announcements and keeps unrelated files', async () => {
    const [one, two] = [new PresenceFiles(root), new PresenceFiles(root)];
    await one.announce(ONE, '');
    const longAgo = new Date(Date.now() - 2 * 86_400_000);
    await utimes(join(root, ONE), longAgo, longAgo);
    await writeFile(join(root, 'README.md'), '');
    await two.announce(TWO, '');
    assert.deepEqual((await readdir(root)).toSorted(), ['README.md', TWO].toSorted());
  });

  it('recreates its folder when it was removed', async () => {
    const one = new PresenceFiles(root);
    await one.announce(ONE, 'note');
    await rm(root, { recursive: true });
    await one.announce(ONE, 'note');
    assert.equal((await new PresenceFiles(root).announce(TWO, ''))[0]?.note, 'note');
  });
});
