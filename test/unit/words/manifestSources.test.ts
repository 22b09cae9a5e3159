import { deepStrictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asksOf } from '../../../src/prompt/template/asks';
import { parseTemplate } from '../../../src/prompt/template/parseTemplate';
import { readSettingTemplates } from '../../../src/prompt/template/settingTemplates';
import { checkoutRoot } from '../../support/vscode/paths';
import { codeTexts } from '../../support/words/codeTexts';
import { sourcesNoted, sourcesNow } from '../../support/words/manifestSources';

describe('the translations of the manifest', () => {
  it('are of the English texts as they are now', () => {
    const [now, noted] = [sourcesNow(), sourcesNoted()];
    const stale = [...new Set([...Object.keys(now), ...Object.keys(noted)])].filter((key) => now[key] !== noted[key]);
    deepStrictEqual(
      stale,
      [],
      `The English of ${stale.join(', ')} is new. Bring package.nls.de.json up to date, then run “node --import tsx test/support/words/manifestSources.ts”.`,
    );
  });

  it('are there for what people see of each shipped template', () => {
    const { contributes } = JSON.parse(readFileSync(join(checkoutRoot, 'package.json'), 'utf8')) as {
      contributes: { configuration: { properties: Record<string, { default?: unknown }> }[] };
    };
    const [shipped] = contributes.configuration.flatMap(
      ({ properties }) => properties['docsAgent.promptTemplates'] ?? [],
    );
    const { templates } = readSettingTemplates(shipped?.default);
    const shown = templates.flatMap(({ name, text }) => [
      name,
      ...asksOf(parseTemplate(text)).flatMap((ask) => (ask.kind === 'input' ? [ask.question] : ask.choices)),
    ]);
    const texts = codeTexts().texts.filter(({ place }) => place.includes('templates/shippedWords.ts'));
    deepStrictEqual(texts.map(({ key }) => key).toSorted(), [...new Set(shown)].toSorted());
  });
});
