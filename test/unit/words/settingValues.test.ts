import { deepStrictEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkoutRoot } from '../../support/vscode/paths';
import { manifestTexts } from '../../support/words/translations';

interface Property {
  enum?: string[];
  enumItemLabels?: string[];
  markdownDescription?: string;
}

const { contributes } = JSON.parse(readFileSync(join(checkoutRoot, 'package.json'), 'utf8')) as {
  contributes: { configuration: { properties: Record<string, Property> }[] };
};
const properties = contributes.configuration.flatMap((group) => Object.values(group.properties));

describe('a setting that names a value of a closed list', () => {
  for (const [language, open, close] of [
    [undefined, '“', '”'],
    ['de', '„', '“'],
  ] as const) {
    it(`names the label that people see there as well, in ${language ?? 'en'}`, () => {
      const texts = manifestTexts(language);
      const textOf = (text = ''): string => text.replace(/^%(.+)%$/, (_, key: string) => texts[key] ?? '');
      const labelled = properties.flatMap(({ enum: values = [], enumItemLabels: labels = [] }) =>
        values.map((value, index) => [`\`${value}\``, textOf(labels[index])] as const),
      );
      const labels = new Map<string, string>(labelled);
      const named = properties
        .map(({ markdownDescription }) => textOf(markdownDescription))
        .flatMap((text) =>
          [...text.matchAll(/`[^`]+`/g)].map(({ 0: value, index }) => ({
            value,
            before: text.slice(0, index),
          })),
        )
        .filter(({ value }) => labels.has(value));
      ok(named.length >= 8);
      const bare = named.filter(({ value, before }) => !before.endsWith(`${open}${labels.get(value) ?? ''}${close} (`));
      deepStrictEqual(bare, []);
    });
  }
});
