import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { UNSEEN_COLOR } from '../../../src/extension/ids';

interface Color {
  id: string;
  defaults: Record<'dark' | 'light' | 'highContrast' | 'highContrastLight', string>;
}

const file = new URL('../../../package.json', import.meta.url);
const { colors } = (JSON.parse(readFileSync(file, 'utf8')) as { contributes: { colors: Color[] } }).contributes;

/** List background in the editor’s high-contrast themes, and the color of a failed job’s icon there. */
const THEMES = [
  { name: 'highContrast', ground: '#000000', failed: ['#F48771', '#F38518'] },
  { name: 'highContrastLight', ground: '#FFFFFF', failed: ['#B5200D'] },
] as const;

describe('color of unseen rows', () => {
  it('is the one that the code uses', () => {
    deepStrictEqual(
      colors.map(({ id }) => id),
      [UNSEEN_COLOR],
    );
  });

  for (const { name, ground, failed } of THEMES) {
    it(`has the contrast required for ${name} and differs in hue from failures`, () => {
      const color = colors[0]?.defaults[name] ?? '';
      // https://www.w3.org/WAI/WCAG22/Understanding/contrast-enhanced
      ok(contrast(color, ground) >= 7, String(contrast(color, ground)));
      // The description after the title is drawn with 70% opacity.
      ok(contrast(mixed(color, ground, 0.7), ground) >= 4.5, String(contrast(mixed(color, ground, 0.7), ground)));
      ok(failed.every((each) => isWarm(each) && !isWarm(color)));
    });
  }

  it('is the editor’s list highlight color in other themes', () => {
    strictEqual(colors[0]?.defaults.dark, 'list.highlightForeground');
    strictEqual(colors[0].defaults.light, 'list.highlightForeground');
  });
});

function isWarm(color: string): boolean {
  const [red = 0, , blue = 0] = channels(color);
  return red > blue;
}

/** Blends one color over another with the given opacity. */
function mixed(one: string, other: string, share: number): string {
  const below = channels(other);
  const values = channels(one).map((each, index) => each * share + (below[index] ?? 0) * (1 - share));
  return `#${values
    .map((each) =>
      Math.round(each * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((each) =>
    each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Red, green and blue, each from 0 to 1. */
function channels(color: string): number[] {
  return [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255);
}
