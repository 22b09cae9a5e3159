import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Git } from '../../../../src/git/git';
import { makeCommit } from '../../../../src/local-service/git/jobBranch';
import { inEnglish } from '../../../support/codedText';
import { git as plainGit, sampleRepository } from '../../../support/temporaryRepository';

describe('makeCommit', () => {
  it('makes an unsigned commit, with a note, if the program that signs it waits for a passphrase', async () => {
    const folder = await sampleRepository();
    const program = join(folder, 'waits');
    await writeFile(program, '#!/bin/sh\nsleep 30\n');
    await chmod(program, 0o755);
    const settings = ['-c', 'gpg.format=openpgp', '-c', `gpg.openpgp.program=${program}`];
    const git = new Git(process.env);
    const { id, note } = await makeCommit(
      (args, options) => git.run({ folder }, args, options),
      {
        ...{ tree: (await plainGit(folder, 'rev-parse', 'HEAD^{tree}')).trim(), parents: [], message: 'One\n' },
        author: { name: 'Robin', email: 'robin@example.org' },
      },
      async () => ({ settings, environment: {} }),
      300,
    );
    assert.match(inEnglish(note), /^The commit isn’t signed: /);
    assert.doesNotMatch(await plainGit(folder, 'cat-file', 'commit', id), /gpgsig/);
  }).timeout(10_000);
});
