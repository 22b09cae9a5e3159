import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Page } from 'playwright-core';
import { checkoutRoot } from '../../support/vscode/paths';

/** How many pictures are taken at most until the window stops changing. */
const LOOKS = 30;

/** Texts that differ from run to run, and the text that replaces each of them in a picture. */
const STAND_INS: readonly (readonly [pattern: string, text: string])[] = [
  ['[A-Z][a-z]{2} \\d{1,2}, \\d{4}, \\d{1,2}:\\d{2}\\s[AP]M', 'Nov 22, 2026, 9:14 AM'],
  ['^\\d{2}:\\d{2}(:\\d{2})?\\s[AP]M', '09:14$1 AM'],
  ['^(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \\d{1,2}$', 'Nov 22'],
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

/** A PNG picture, and for how long it is shown, in milliseconds. */
export interface Frame {
  png: Buffer;
  ms: number;
}

interface Chunk {
  type: string;
  data: Buffer;
}

const SIGNATURE_BYTES = 8;

/**
 * Joins pictures of the same size to an animated PNG that loops (PNG specification, third edition,
 * sections 11.3.6 and 12.6). Browsers that don't know the format show the first picture.
 */
export function animatedPng(frames: readonly Frame[]): Buffer {
  const [first] = frames;
  if (first === undefined) {
    throw new Error('an animation needs a picture');
  }
  const head = dataOf(first.png, 'IHDR')[0] ?? Buffer.alloc(0);
  let sequence = 0;
  const next = (): Buffer => numbers([sequence++]);
  const parts = frames.flatMap(({ png, ms }, index) => {
    // Width, height and position, then delay in milliseconds, and: replace what was there.
    const place = Buffer.concat([head.subarray(0, 8), numbers([0, 0]), Buffer.from([ms >> 8, ms & 255, 3, 232, 0, 0])]);
    const control = chunk('fcTL', Buffer.concat([next(), place]));
    const images = dataOf(png, 'IDAT');
    return [
      control,
      ...images.map((data) => (index === 0 ? chunk('IDAT', data) : chunk('fdAT', Buffer.concat([next(), data])))),
    ];
  });
  return Buffer.concat([
    first.png.subarray(0, SIGNATURE_BYTES),
    chunk('IHDR', head),
    chunk('acTL', numbers([frames.length, 0])),
    ...parts,
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function dataOf(png: Buffer, type: string): Buffer[] {
  return chunksOf(png).flatMap((each) => (each.type === type ? [each.data] : []));
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE_BYTES; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([numbers([data.length]), named, numbers([crc32(named)])]);
}

/** Unsigned numbers of four bytes. */
function numbers(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}
