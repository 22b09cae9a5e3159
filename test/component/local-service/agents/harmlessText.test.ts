import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPlainProse } from '../../../../src/local-service/agents/harmlessText';
import { temporaryFolder } from '../../../support/temporaryRepository';

describe('isPlainProse', () => {
  const isPlain = async (text: string): Promise<boolean> => {
    const path = join(await temporaryFolder(), 'guide.md');
    await writeFile(path, text);
    return isPlainProse(Buffer.from(path));
  };

  for (const text of ['See !`id`', 'List:\n\n```! \nid\n```\n', 'See !{id}', 'See @{docs/a.md}']) {
    it(`is false for prose that an agent expands: ${JSON.stringify(text)}`, async () => {
      assert.equal(await isPlain(`---\nname: guide\n---\n${text}`), false);
      assert.equal(await isPlain(text), false);
    });
  }

  it('is true for code blocks, exclamation marks, and addresses', async () => {
    assert.equal(await isPlain('Run it now! `make`\n\n```sh\nmake!\n```\n\nWrite to a@example.com {soon}.\n'), true);
  });
});
