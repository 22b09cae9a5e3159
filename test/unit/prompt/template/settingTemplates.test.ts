import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { asksOf } from '../../../../src/prompt/template/asks';
import { nearestVariable } from '../../../../src/prompt/template/nearestVariable';
import { parseTemplate } from '../../../../src/prompt/template/parseTemplate';
import { readSettingTemplates } from '../../../../src/prompt/template/settingTemplates';

interface Manifest {
  contributes: { configuration: { properties: Record<string, { default?: unknown }> }[] };
}

describe('templates of the settings', () => {
  it('are a text or lines of text; null hides one, and what is neither is named', () => {
    const value = { One: 'text', Two: ['a', '', 'b'], Gone: null, Number: 3, Mixed: ['a', 1], Empty: ' ' };
    deepStrictEqual(readSettingTemplates(value), {
      templates: [
        { name: 'One', text: 'text' },
        { name: 'Two', text: 'a\n\nb' },
      ],
      unreadable: ['Number', 'Mixed', 'Empty'],
    });
  });

  for (const value of [undefined, null, 'text', 3, ['a']]) {
    it(`are none where the setting is ${JSON.stringify(value)}`, () =>
      deepStrictEqual(readSettingTemplates(value), { templates: [], unreadable: [] }));
  }

  it('are shipped without a problem, and ask little', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as Manifest;
    const { templates, unreadable } = readSettingTemplates(
      manifest.contributes.configuration.map(({ properties }) => properties['docsAgent.promptTemplates']).find(Boolean)
        ?.default,
    );
    deepStrictEqual(unreadable, []);
    ok(templates.length >= 4);
    for (const { name, text } of templates) {
      const template = parseTemplate(text);
      deepStrictEqual(template.problems, [], name);
      ok(asksOf(template).length <= 2, name);
      ok(
        /verify|prove/i.test(text) && /don’t|leave|keep/i.test(text),
        `${name} says what to verify and what to leave alone`,
      );
    }
  });
});

describe('a variable’s name with a slip', () => {
  for (const [typed, meant] of [
    ['selectoin', 'selection'],
    ['Selection', 'selection'],
    ['relativefile', 'relativeFile'],
    ['change', 'changes'],
    ['HOME_DIRECTORY', undefined],
    ['x', undefined],
    ['', undefined],
  ] as const) {
    it(`${typed} means ${meant ?? 'nothing'}`, () => strictEqual(nearestVariable(typed), meant));
  }
});
