import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSampleRepository, git } from '../../support/temporaryRepository';
import { scriptedServiceSettings } from '../../support/vscode/scriptedService';
import { JobPageFrame } from '../jobPageFrame';
import { JOB_LIMIT } from '../localWindow';
import { useWindow } from '../window';

const BEFORE = `# Rate limits

Each project may send fifty requests an hour. A request above the limit is answered with status 429, and the header Retry-After names the time after which it may be sent again.

Clients should wait for that time, and then send the request once more. A client that does not wait is refused for a day, which its owner learns by mail.

| Plan | Limit |
| ---- | ----- |
| Free | 50    |
`;

/** Edits the page as a person would, replaces a picture, and adds and renames pages. */
const EDITS = `cat > /dev/null
sed -i 's/fifty requests/a hundred requests/; s/once more/up to three times/; s/a day, which its owner learns by mail/an hour/; s/| 50    |/| 100   |/' docs/limits.md
printf '\\n## Budgets\\n\\nA budget limits what a team spends in a month.\\n\\nIt is set by an owner of the team.\\n' >> docs/limits.md
git mv docs/old-name.md docs/new-name.md
printf '# Retries\\n\\nA failed request is tried again.\\n' > docs/retries.md
printf '%s' "$AFTER" | base64 -d > docs/logo.png
echo 'I raised the limit to a hundred requests, and described budgets. The page on retries is new.'`;

const PIXELS = {
  before: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  after: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
};

describe('the result of a local job', () => {
  const window = useWindow({
    fill: async (workspace) => {
      await createSampleRepository(workspace);
      await mkdir(join(workspace, 'docs'), { recursive: true });
      await writeFile(join(workspace, 'docs', 'limits.md'), BEFORE);
      await writeFile(join(workspace, 'docs', 'old-name.md'), '# A page\n\nIt only gets another name.\n');
      await writeFile(join(workspace, 'docs', 'logo.png'), Buffer.from(PIXELS.before, 'base64'));
      await git(workspace, 'add', '--all');
      await git(workspace, 'commit', '--quiet', '-m', 'Write pages');
    },
    settings: {
      ...scriptedServiceSettings(),
      'docsAgent.local.agentCommand': ['sh', '-c', `AFTER=${PIXELS.after}\n${EDITS}`],
    },
  });
  const page = (): JobPageFrame => new JobPageFrame(window().workbench);

  it('comes first on its page: the changed words, and pictures before and after', async () => {
    const { workbench } = window();
    await workbench.activityBar('Docs Agent');
    await workbench.host.command('docsAgent.createJob', { prompt: 'Raise the limit' });
    await workbench.tree('Jobs').expectRow(/Raise the limit.*changes ready/, JOB_LIMIT);
    await workbench.tree('Jobs').contextMenu(/Raise the limit/, 'Show Job');
    await page().expectState('Changes ready');
    const file = page().frame.getByRole('article', { name: 'docs/limits.md' });
    const first = file.locator('.paragraph p').first();
    await first.waitFor();
    deepStrictEqual(await first.locator('del, ins').allInnerTexts(), ['fifty', 'a hundred']);
    const word = await first.locator('ins').boundingBox();
    const dock = await page().frame.locator('.dock').boundingBox();
    ok(word !== null && dock !== null && word.y + word.height < dock.y);
    await page().expectText('renamed from docs/old-name.md');
    await page().frame.getByRole('img', { name: 'Before: docs/logo.png' }).waitFor();
    await page().frame.getByRole('img', { name: 'After: docs/logo.png' }).waitFor();
    ok(!(await page().frame.locator('body').innerText()).includes('127.0.0.1'));
    await workbench.screenshot('job result');
  });

  it('opens in the editor, and everything else is behind the last of three buttons', async () => {
    const { workbench } = window();
    deepStrictEqual(await page().frame.locator('.dock > .actions button').allInnerTexts(), [
      'Review Changes',
      'Follow-up',
      'More…',
    ]);
    await page().button('More…').click();
    const rows = await workbench.quickInput.rows();
    ok(rows.some((row) => row.includes('Open in Browser')) && rows.some((row) => row.includes('Check Out Branch')));
    const review = await workbench.openedPage(() => workbench.quickInput.pick('Open in Browser'));
    await review.locator('ins', { hasText: 'hundred' }).first().waitFor();
    await review.close();
    await page().button('Review Changes').click();
    await workbench.page.locator('.multiDiffEntry').first().waitFor();
    strictEqual((await page().tabs()).length, 2);
  });
});
