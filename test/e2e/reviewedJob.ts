import { ok } from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Locator } from 'playwright-core';
import { createSampleRepository, git } from '../support/temporaryRepository';
import type { Workbench } from '../support/vscode/workbench';

/** The branch of a job whose result is reviewed. */
export const REF = 'docs-agent/limits';

/** The line that the job adds. */
export const LINE = 'A request is sent five times at most.';

/** Fills a workspace with a repository. Its remote, `remote.git` beside it, has a job's branch with this page. */
export async function fillWithReviewed(workspace: string, page = `${LINE}\n`): Promise<void> {
  await createSampleRepository(workspace);
  const remote = join(dirname(workspace), 'remote.git');
  await git(workspace, 'switch', '--quiet', '-c', REF);
  await writeFile(join(workspace, 'docs/limits.md'), page);
  await git(workspace, 'add', '--all');
  await git(workspace, 'commit', '--quiet', '-m', 'Tell the limits');
  await git(workspace, 'clone', '--quiet', '--bare', '.', remote);
  await git(workspace, 'switch', '--quiet', 'main');
  await git(workspace, 'branch', '-D', REF);
  await git(workspace, 'remote', 'add', 'origin', remote);
}

/**
 * Adds a comment through the plus sign beside a line of the open change, as a user does. The line must be above all
 * lines that already have a comment: an open thread hides the signs of the lines below it while it expands.
 */
export async function comment({ page }: Workbench, line: string, text: string): Promise<void> {
  const editor = page
    .locator('.multiDiffEntry .editor.modified, .multiDiffEntry .modified-in-monaco-diff-editor')
    .first();
  const written = editor.getByText(line).first();
  await written.hover();
  // Each line has a sign; the right one is at the same height as the text.
  const sign = editor.locator('.comment-range-glyph.comment-diff-added, .comment-range-glyph.line-hover').first();
  await sign.waitFor();
  const [row, glyph] = [await written.boundingBox(), await sign.boundingBox()];
  ok(row !== null && glyph !== null);
  await page.mouse.click(glyph.x + glyph.width / 2, row.y + row.height / 2);
  const box = page.locator('.review-widget .comment-form .monaco-editor:visible').first();
  await focusBox(box);
  await page.keyboard.type(text);
  await page.locator('.review-widget .monaco-button:visible', { hasText: 'Save Comment' }).click();
  await page.locator('.review-widget .comment-body', { hasText: text }).first().waitFor();
}

/** Appends text to an existing comment and saves it. */
export async function editComment({ page }: Workbench, text: string, more: string): Promise<void> {
  const made = page.locator('.review-widget', { hasText: text }).first();
  await made.locator('.action-label[aria-label^="Edit Comment"]').click();
  await focusBox(made.locator('.monaco-editor:visible').first());
  await page.keyboard.press('Control+End');
  await page.keyboard.type(more);
  await made.locator('.monaco-button', { hasText: 'Save Comment' }).click();
  await page
    .getByText(text + more)
    .first()
    .waitFor();
}

/** Puts the focus into a comment box. Keys that are pressed before it is there go to the changes. */
async function focusBox(box: Locator): Promise<void> {
  await box.click();
  await box.and(box.page().locator('.focused')).waitFor();
}
