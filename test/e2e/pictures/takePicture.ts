import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { checkoutRoot } from '../../support/vscode/paths';

/** How many pictures are taken at most until the window stops changing. */
const LOOKS = 30;

/** Texts that differ from run to run, and the text that replaces each of them in a picture. */
const STAND_INS: readonly (readonly [pattern: string, text: string])[] = [
  ['[A-Z][a-z]{2} \\d{1,2}, \\d{4}, \\d{1,2}:\\d{2}\\s[AP]M', 'Nov 22, 2026, 9:14 AM'],
  ['^\\d{2}:\\d{2}(:\\d{2})?\\s[AP]M', '09:14$1 AM'],
  ['^[A-Z][a-z]{2} \\d{1,2}$', 'Nov 22'],
  ['\\d+ sec$', '2 sec'],
  ['(^|· )\\d+ min$', '$1now'],
  ['[0-9a-f]{16}', '4f1c9e2ab07d3586'],
  ['127\\.0\\.0\\.1:\\d+', '127.0.0.1:44517'],
  ['file:///\\S+/docs-agent-window-\\w+', 'file:///home/robin'],
];

const PUT_STAND_INS = `(pairs) => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    let text = node.data;
    for (const [pattern, standIn] of pairs) {
      text = text.replace(new RegExp(pattern), standIn);
    }
    if (text !== node.data) {
      node.data = text;
    }
  }
}`;

/** Writes a picture of the README. */
export async function writePicture(name: string, picture: Buffer): Promise<void> {
  await writeFile(join(checkoutRoot, 'media', name), picture);
}

/** Returns a picture once the window is at rest, with fixed text in place of whatever differs from run to run. */
export async function takePicture(page: Page): Promise<Buffer> {
  let picture = await look(page);
  for (let looks = 1; looks < LOOKS; looks++) {
    await page.waitForTimeout(200);
    const next = await look(page);
    if (next.equals(picture)) {
      return next;
    }
    picture = next;
  }
  throw new Error('the window does not come to rest');
}

async function look(page: Page): Promise<Buffer> {
  for (const frame of page.frames()) {
    // A frame that is being closed has nothing to show.
    await frame.evaluate(`(${PUT_STAND_INS})(${JSON.stringify(STAND_INS)})`).catch(() => undefined);
  }
  return page.screenshot({ animations: 'disabled' });
}
