import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from 'mocha';
import type { Locator, Page } from 'playwright-core';
import { comparePictures, MOST_DIFFERENT, type Rectangle } from '../support/comparePictures';
import { checkoutRoot, outFolder } from '../support/vscode/paths';

/** With this variable set, the pictures that the README shows are made anew. */
const UPDATE = process.env['DOCS_AGENT_UPDATE_PICTURES'] === '1';

/** How the machine on which the pictures were made draws the sample. */
const DRAWN = join(checkoutRoot, 'test/e2e/drawnPictures.json');

/** The fonts of the editor on Linux, in sizes that it uses. */
const SAMPLE = `<body style="margin: 8px; font: 13px system-ui, Ubuntu, 'Droid Sans', sans-serif">
  <p>Quick jobs 0123 “…” · → äöü</p><p style="font-weight: 600; font-size: 11px">JOBS fix</p>
  <pre style="font: 14px 'Droid Sans Mono', monospace">export const retry = (limit) => { };</pre>`;

/** How often the window is looked at until it looks as it should. */
const LOOKS = 30;

/** What differs from run to run, and what stands for it in each picture. */
const STAND_INS: readonly (readonly [pattern: string, text: string])[] = [
  ['[A-Z][a-z]{2} \\d{1,2}, \\d{4}, \\d{1,2}:\\d{2}\\s[AP]M', 'Nov 22, 2026, 9:14 AM'],
  ['^\\d{2}:\\d{2}(:\\d{2})?\\s[AP]M', '09:14$1 AM'],
  ['^[A-Z][a-z]{2} \\d{1,2}$', 'Nov 22'],
  ['\\d+ sec$', '2 sec'],
  ['(just now|\\d+ min\\. ago) ·', 'just now ·'],
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

/**
 * Holds that a picture of the README still shows what the window shows: the same pixels, once what no two runs have in
 * common is replaced. With DOCS_AGENT_UPDATE_PICTURES=1 it writes the picture instead. A machine with other fonts can't tell:
 * there the test is skipped.
 *
 * @param masks what is drawn to the scale of the run, and not compared
 */
export async function expectReadmePicture(
  test: Context,
  page: Page,
  name: string,
  masks: readonly Locator[] = [],
): Promise<void> {
  const path = join(checkoutRoot, 'media', name);
  if (UPDATE) {
    await writeFile(path, await settled(page));
    await writeFile(DRAWN, `${JSON.stringify({ sample: await drawnSample(page) }, undefined, 2)}\n`);
    return;
  }
  const kept = await readFile(path);
  // The look that comes nearest: while one looks, a notice may go.
  let best: { pixels: number; difference: Buffer; seen: Buffer } = { pixels: Infinity, difference: kept, seen: kept };
  for (let looks = 0; looks < LOOKS && best.pixels > MOST_DIFFERENT; looks++) {
    const seen = await look(page);
    const compared = comparePictures(kept, seen, await placesOf(masks));
    best = compared.pixels < best.pixels || looks === 0 ? { ...compared, seen } : best;
  }
  if (best.pixels > MOST_DIFFERENT) {
    const { sample } = JSON.parse(await readFile(DRAWN, 'utf8')) as { sample: string };
    if ((await drawnSample(page)) !== sample) {
      test.skip();
    }
    const folder = join(outFolder, 'screenshots');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), best.seen);
    await writeFile(join(folder, `difference-${name}`), best.difference);
    throw new Error(
      `media/${name} is older than the user interface: ${best.pixels} pixels differ. out/screenshots has what the window shows (${name}) and where it differs (difference-${name}). Is the change wanted, make the pictures anew and look at them: DOCS_AGENT_UPDATE_PICTURES=1 node --import tsx test/e2e/runTest.ts test/e2e/suite/picture.test.ts`,
    );
  }
}

/** Tells machines apart that draw letters in another way. */
async function drawnSample(page: Page): Promise<string> {
  const sheet = await page.context().newPage();
  try {
    await sheet.setViewportSize({ width: 320, height: 120 });
    await sheet.setContent(SAMPLE);
    return createHash('sha256')
      .update(await sheet.screenshot())
      .digest('hex')
      .slice(0, 16);
  } finally {
    await sheet.close();
  }
}

/** A picture after which the window did not change. */
async function settled(page: Page): Promise<Buffer> {
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
    // One that is just being closed has nothing to show.
    await frame.evaluate(`(${PUT_STAND_INS})(${JSON.stringify(STAND_INS)})`).catch(() => undefined);
  }
  return page.screenshot({ animations: 'disabled' });
}

async function placesOf(masks: readonly Locator[]): Promise<Rectangle[]> {
  const boxes = await Promise.all(masks.map((mask) => mask.boundingBox()));
  return boxes.filter((box) => box !== null);
}
