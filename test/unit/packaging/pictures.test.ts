import { equal, ok } from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { comparePictures, MOST_DIFFERENT } from '../../support/comparePictures';
import { checkoutRoot } from '../../support/vscode/paths';

/** A letter, an icon, a row of the list and a button in the picture of the list, in pixels. */
const PARTS = {
  letter: { x: 92, y: 97, width: 9, height: 10 },
  icon: { x: 69, y: 138, width: 16, height: 16 },
  row: { x: 53, y: 157, width: 290, height: 22 },
  button: { x: 914, y: 571, width: 117, height: 26 },
};

describe('the pictures of the README, compared with what a window shows', () => {
  let file: Buffer;
  const altered = (change: (picture: PNG) => void): Buffer => {
    const picture = PNG.sync.read(file);
    change(picture);
    return PNG.sync.write(picture);
  };

  before(async () => {
    file = await readFile(join(checkoutRoot, 'media', 'screenshot.png'));
  });

  it('are the same as themselves, and but for noise', () => {
    equal(comparePictures(file, file).pixels, 0);
    const noisy = altered(({ data }) => {
      for (let index = 0; index < data.length; index++) {
        data[index] = Math.min(255, (data[index] ?? 0) + (index % 4 === 3 ? 0 : (index * 7) % 3));
      }
    });
    ok(comparePictures(file, noisy).pixels <= MOST_DIFFERENT);
  });

  for (const [part, { x, y, width, height }] of Object.entries(PARTS)) {
    it(`differ when a ${part} is gone or elsewhere`, () => {
      const gone = altered((picture) => {
        for (let line = y; line < y + height; line++) {
          const start = (line * picture.width + x) * 4;
          const background = picture.data.subarray((y * picture.width + x) * 4, (y * picture.width + x) * 4 + 4);
          picture.data.fill(Buffer.from(background), start, start + width * 4);
        }
      });
      ok(comparePictures(file, gone).pixels > MOST_DIFFERENT, 'gone');
      const moved = altered((picture) => PNG.bitblt(PNG.sync.read(file), picture, x, y, width, height, x + 2, y));
      ok(comparePictures(file, moved).pixels > MOST_DIFFERENT, 'moved by two pixels');
      equal(comparePictures(file, gone, [{ x, y, width, height }]).pixels, 0, 'and not where they aren’t compared');
    });
  }

  it('differ when they are of another size', () => {
    const { width, height } = PNG.sync.read(file);
    equal(comparePictures(file, PNG.sync.write(new PNG({ width, height: height + 1 }))).pixels, Infinity);
  });
});
