import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Git } from '../../../../src/git/git';
import { MAX_DIFF_LINES, ReviewReader } from '../../../../src/local-service/review/reviewReader';
import type { Job, Project } from '../../../../src/local-service/store/jobStore';
import { createSampleRepository, git, temporaryFolder } from '../../../support/temporaryRepository';

describe('ReviewReader', function () {
  this.timeout(30_000);

  it('shows a diff up to the maximum number of lines, however short they are', async () => {
    const home = await temporaryFolder();
    const folder = join(home, 'repository');
    await createSampleRepository(folder);
    const project = { folder } as Project;
    const desk = new ReviewReader({
      git: new Git(process.env),
      store: { project: () => project, turns: () => [] },
      jobsFolder: join(home, 'jobs'),
      script: '',
    });
    const head = async (): Promise<string> => (await git(folder, 'rev-parse', 'HEAD')).trim();
    const job: Partial<Job> = {
      id: 'j1',
      projectId: 'p',
      branch: 'docs-agent/j1',
      repository: '',
      baseBranch: 'main',
      prLink: null,
      note: null,
      review: null,
    };
    const baseCommit = await head();
    for (const [lines, isShown] of [
      // Six header lines count too: file, mode, index, both names and the hunk.
      [MAX_DIFF_LINES - 6, true],
      [MAX_DIFF_LINES - 5, false],
    ] as const) {
      await writeFile(join(folder, 'many.md'), 'x\n'.repeat(lines));
      await git(folder, 'add', '.');
      await git(folder, 'commit', '--quiet', '-m', 'Many');
      const page = await desk.page({ ...job, baseCommit, publishedCommit: await head() } as Job, 'token');
      assert.equal(page?.html.includes('too large to show'), !isShown);
      assert.equal(page.html.includes('<article'), isShown);
    }
  });
});
