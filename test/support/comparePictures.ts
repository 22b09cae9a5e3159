import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Of how many pixels two pictures of the same thing may differ. The same browser with the same fonts draws each pixel
 * alike, but for the edges of letters and lines, which are not counted. The least that a person would see, one letter
 * that is another, is some ten.
 */
export const MOST_DIFFERENT = 6;

/**
 * In how many pixels two pictures differ, infinitely many when their sizes do, and the picture (PNG) that shows where.
 *
 * @param masks what is not compared
 */
export function comparePictures(
  one: Buffer,
  other: Buffer,
  masks: readonly Rectangle[] = [],
): { pixels: number; difference: Buffer } {
  const [before, now] = [PNG.sync.read(one), PNG.sync.read(other)];
  const { width, height } = before;
  if (now.width !== width || now.height !== height) {
    return { pixels: Infinity, difference: other };
  }
  for (const picture of [before, now]) {
    masks.forEach((mask) => blacken(picture, mask));
  }
  const difference = new PNG({ width, height });
  const pixels = pixelmatch(before.data, now.data, difference.data, width, height, { threshold: 0.1 });
  return { pixels, difference: PNG.sync.write(difference) };
}

function blacken({ width, height, data }: PNG, mask: Rectangle): void {
  const [left, top] = [Math.max(0, Math.floor(mask.x)), Math.max(0, Math.floor(mask.y))];
  const [right, bottom] = [
    Math.min(width, Math.ceil(mask.x + mask.width)),
    Math.min(height, Math.ceil(mask.y + mask.height)),
  ];
  for (let y = top; y < bottom; y++) {
    data.fill(0, (y * width + left) * 4, (y * width + Math.max(left, right)) * 4);
  }
}
