import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createSampleRepository, git } from '../../support/temporaryRepository';
import { expectNone } from '../../support/vscode/workbench';
import { scriptedServiceSettings } from '../../support/vscode/server';
import { JobPageFrame } from '../jobPageFrame';
import { comment } from '../reviewedJob';
import { useWindow } from '../window';

const BEFORE = `# Rate limits

Each project may send fifty requests an hour. A request above the limit is answered with status 429, and the header Retry-After names the time after which it may be sent again.

Clients should wait for that time, and then send the request once more. A client that does not wait is refused for a day, which its owner learns by mail.

| Plan | Limit |
| ---- | ----- |
| Free | 50    |
`;

/** Edits the page as a person would, replaces a picture, and adds and renames pages; a follow-up changes one word. */
const EDITS = `case "$(cat)" in *'A budget caps'*) sed -i 's/A budget limits/A budget caps/' docs/limits.md; exit;; esac
sed -i 's/fifty requests/a hundred requests/; s/once more/up to three times/; s/a day, which its owner learns by mail/an hour/; s/| 50    |/| 100   |/' docs/limits.md
printf '\\n## Budgets\\n\\nA budget limits what a team spends in a month.\\n\\nIt is set by an owner of the team.\\n' >> docs/limits.md
git mv docs/old-name.md docs/new-name.md
printf '# Retries\\n\\nA failed request is tried again, up to \`--retry-budget\` times.\\n' > docs/retries.md
printf '%s' "$AFTER" | base64 -d > docs/logo.png
echo 'I raised the limit to a hundred requests, and described budgets. The page on retries is new.'`;

const PIXELS = {
  before: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  after: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
};

/** How long to wait for a notification that must not appear, in milliseconds. */
const SECOND_NOTICE = 2_000;

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
      // As the built-in Markdown features set it, which tests do without.
      '[markdown]': { 'editor.wordWrap': 'on' },
      'docsAgent.local.agentCommand': ['sh', '-c', `AFTER=${PIXELS.after}\n${EDITS}`],
    },
  });
  const page = (): JobPageFrame => new JobPageFrame(window().workbench);

  it('comes first on its page: the changed words, and pictures before and after', async () => {
    const { workbench } = window();
    await workbench.activityBar('Docs Agent');
    await workbench.host.command('docsAgent.createJob', { prompt: 'Raise the limit' });
    await workbench.toast(/Changes ready to review.*Raise the limit/).expect();
    await workbench.tree('Jobs').expectRow(/Raise the limit.*changes ready/);
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
    // Not even in the folded parts.
    ok(!((await page().frame.locator('main').textContent()) ?? '').includes('127.0.0.1'));
    await workbench.screenshot('job result');
  });

  it('says which added name is not in the code, and puts that into the follow-up box below typed text', async () => {
    const { workbench } = window();
    const check = page().frame.getByRole('region', { name: '1 problem in the added lines' });
    await check.waitFor();
    deepStrictEqual(await check.locator('li').allInnerTexts(), [
      'docs/retries.md:3 “--retry-budget” isn’t in the code, its history, or its dependencies.',
    ]);
    await page().box.fill('Thanks.');
    await page().button('Ask the Agent to Fix…').click();
    const list = '- `docs/retries.md`, line 3: `--retry-budget` isn’t in the code, its history, or its dependencies.';
    match(await page().box.inputValue(), new RegExp(`^Thanks\\.\\n\\nA check of [^]*\\n${list}$`));
    await workbench.screenshot('job result check');
    await page().box.fill('');
  });

  it('opens in the editor, and everything else is behind the last of three buttons', async () => {
    const { workbench } = window();
    deepStrictEqual(await page().frame.locator('.dock > .actions button').allInnerTexts(), [
      'Review Changes',
      'Merge…',
      'More…',
    ]);
    await page().button('More…').click();
    const rows = await workbench.quickInput.rows();
    await workbench.screenshot('job result more');
    ok(rows.some((row) => row.includes('Open in Browser')) && rows.some((row) => row.includes('Check Out Branch')));
    const review = await workbench.openedPage(() => workbench.quickInput.pick('Open in Browser'));
    await review.locator('ins', { hasText: 'hundred' }).first().waitFor();
    await review.close();
    await page().button('Review Changes').click();
    await workbench.page.locator('.multiDiffEntry:visible').first().waitFor();
    strictEqual((await page().tabs()).length, 2);
    // Both sides are wrapped, also in the first diff of a window.
    for (const side of ['original', 'modified']) {
      const lines = workbench.page.locator(`.multiDiffEntry:visible .editor.${side} .view-line`);
      await lines.filter({ hasText: 'Each project may send' }).first().waitFor();
      strictEqual(
        await lines.filter({ hasText: 'Each project may send' }).filter({ hasText: 'sent again' }).count(),
        0,
      );
    }
    await workbench.screenshot('job result first diff');
    const actions = workbench.page.locator('.editor-group-container.active .editor-actions');
    await actions.locator('[aria-label^="Merge, Close, or Archive"]').click();
    await workbench.quickInput.expectTitle('Raise the limit');
    await workbench.screenshot('job result decide');
    await workbench.quickInput.cancel();
  });

  it('keeps the comments of a follow-up at their lines, and says which were addressed', async () => {
    const { workbench } = window();
    await workbench.host.command('notifications.clearAll');
    const send = workbench.page.locator('.editor-actions [aria-label^="Send Review Comments"]');
    strictEqual(await send.count(), 0);
    await comment(workbench, 'A budget limits what', 'Say: A budget caps');
    await send.waitFor();
    // The editor opens this panel at the first comment.
    await workbench.page.locator('.comments-panel').getByText('Say: A budget caps').waitFor();
    await workbench.host.command('workbench.action.closePanel');
    await comment(workbench, '| Plan | Limit |', 'Who else?');
    await workbench.tree('Jobs').contextMenu(/Raise the limit/, 'Send Review Comments…');
    await workbench.quickInput.pick('Edit First');
    const prompt = workbench.page.locator('.editor-instance .monaco-editor').first();
    await prompt.getByText('> Who else?').waitFor();
    await workbench.page.keyboard.press('Control+Enter');
    const outdated = /The agent updated “Raise the limit”/;
    await workbench.toast(outdated).expect();
    await delay(SECOND_NOTICE);
    await workbench.screenshot('job result outdated');
    strictEqual(await workbench.notificationCount(''), 1);
    const { page: editor } = workbench;
    // The open changes are updated automatically, with all files.
    const entries = editor.locator('.multiDiffEntry').filter({ visible: true });
    await entries.getByText('A budget caps what a team').first().waitFor();
    await entries.getByText('retries.md').first().waitFor();
    await workbench.screenshot('job result updated');
    const actions = editor.locator('.editor-group-container.active .editor-actions');
    await actions.locator('[aria-label^="Show New Changes"]').waitFor();
    await (await workbench.notification(outdated)).click('Show New Changes');
    await editor
      .locator('.multiDiffEntry')
      .getByText('A budget caps what a team')
      .filter({ visible: true })
      .first()
      .waitFor();
    // The editor keeps the parts of the closed view, but hides them.
    await expectNone(editor.locator('.multiDiffEntry').getByText('retries.md'));
    await workbench.screenshot('job result new changes');
    // The icons lead to all changes, to the new ones, and back again.
    for (const [name, state] of [
      ['Review Changes', 'visible'],
      ['Show New Changes', 'hidden'],
      ['Review Changes', 'visible'],
    ] as const) {
      await actions.locator(`[aria-label^="${name}"]`).click();
      await editor.locator('.multiDiffEntry').getByText('retries.md').filter({ visible: true }).waitFor({ state });
    }
    for (const [text, state] of [
      ['Who else?', 'Still open: this text hasn’t changed'],
      ['Say: A budget caps', 'Addressed: this text has changed'],
    ] as const) {
      const thread = editor.locator('.review-widget:visible', { hasText: text });
      // Each is collapsed at first; in the second round, the one above is already open.
      await editor
        .locator('.comment-range-glyph[class*="comment-thread"]')
        .nth(state.startsWith('Still open') ? 0 : 1)
        .click();
      await thread.getByText(state).first().waitFor();
    }
    await workbench.screenshot('job result addressed');
    await workbench.tree('Jobs').expectNoRow(/unsent comments?/);
  });

  it('shows what one run has changed', async () => {
    const { workbench } = window();
    await workbench.tree('Jobs').contextMenu(/Raise the limit/, 'Show Job');
    // The second one belongs to the follow-up.
    await page().frame.getByRole('button', { name: 'Show Changes' }).nth(1).click();
    const entries = workbench.page.locator('.multiDiffEntry');
    await entries.getByText('A budget caps what a team').first().waitFor();
    await expectNone(entries.getByText('retries.md'));
  });

  it('is merged in the editor, and its branch is gone until the user wants it back', async () => {
    const { workbench, workspace } = window();
    match(await git(workspace, 'branch', '--list', 'docs-agent/*'), /docs-agent/);
    await workbench.tree('Jobs').contextMenu(/Raise the limit/, 'Merge, Close, or Archive…');
    await workbench.quickInput.expectTitle('Raise the limit');
    await workbench.quickInput.pick('Apply to My Files');
    await workbench.toast(/Applied 4 changed files: .* They aren’t committed\./).expect();
    await workbench.screenshot('job result applied');
    await workbench.tree('Jobs').contextMenu(/Raise the limit/, 'Merge, Close, or Archive…');
    await workbench.quickInput.expectTitle('Raise the limit');
    await workbench.screenshot('job result finish');
    await workbench.quickInput.pick('Merge…');
    const question = workbench.page.locator('.monaco-dialog-box', {
      hasText: 'Accept “Raise the limit” and merge it into “main”',
    });
    await question.getByText(/deleted afterward.*1 review comment is unsent or still open/s).waitFor();
    await workbench.screenshot('job result merge');
    await workbench.dialog(/Accept “Raise the limit” and merge it into “main”/, 'Merge');
    const refusal = /can’t be merged here: .*would be overwritten by merge/;
    await workbench.toast(refusal).expect();
    await workbench.screenshot('job result merge refused');
    await git(workspace, 'stash', 'push', '--quiet', '--include-untracked');
    await (await workbench.notification(refusal)).click('Open Source Control');
    // It opens some time after the click, and would take the place of the jobs.
    await workbench.page.locator('.sidebar .title-label', { hasText: 'Source Control' }).waitFor();
    await workbench.activityBar('Docs Agent');
    await workbench.tree('Jobs').contextMenu(/Raise the limit/, 'Merge, Close, or Archive…');
    await workbench.quickInput.pick('Merge…');
    await workbench.dialog(/Accept “Raise the limit” and merge it into “main”/, 'Merge');
    // The notification center is still open, so there are no toasts.
    await (await workbench.notification(/Accepted “Raise the limit”: merged into “main”/)).expect();
    strictEqual(await git(workspace, 'branch', '--list', 'docs-agent/*'), '');
    match(await readFile(join(workspace, 'docs', 'limits.md'), 'utf8'), /A budget caps/);
    await workbench.tree('Jobs').expectRow(/Raise the limit.*merged/);
    // The repository keeps the commits, so the editor can still show them.
    await workbench.tree('Jobs').contextMenu(/Raise the limit/, 'Review Changes');
    // The open comments push the files below this one out of the window.
    await workbench.page.locator('.multiDiffEntry').getByText('logo.png').filter({ visible: true }).first().waitFor();
    await workbench.screenshot('job result merged');
    const menu = await workbench.tree('Jobs').contextMenuLabels(/Raise the limit/);
    deepStrictEqual(
      ['Review Changes', 'Undo Merge', 'Show New Changes', 'Check Out Branch…'].filter((each) => menu.includes(each)),
      ['Review Changes', 'Undo Merge'],
    );
    await workbench.page.locator('.editor-group-container.active .editor-actions [aria-label^="Undo Merge"]').click();
    await (await workbench.notification(/Merge into “main” undone: Raise the limit/)).expect();
    await workbench.screenshot('job result merge undone');
    match(await git(workspace, 'branch', '--list', 'docs-agent/*'), /docs-agent\/raise-the-limit-/);
    strictEqual((await readFile(join(workspace, 'docs', 'limits.md'), 'utf8')).includes('A budget caps'), false);
    await workbench.tree('Jobs').expectRow(/Ready for review/);
  });
});
