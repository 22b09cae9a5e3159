import { deepStrictEqual } from 'node:assert/strict';
import { ComposerLens } from '../../../../src/extension/features/prompt/composer/promptStatus';
import { Emitter } from '../../../../src/base/disposable';
import { languages } from '../../../support/fakeEditor';

const uri = {
  scheme: 'docs-agent-prompt',
  path: '/followUp/k/1.md',
  query: JSON.stringify({ kind: 'followUp', jobKey: 'k' }),
  toString: () => 'uri',
};

/** The titles above a follow-up's draft when this many follow-ups are left in this hour. */
async function titles(left: number, query = uri.query, name = 'Limits'): Promise<string[]> {
  Object.assign(languages, { registerCodeLensProvider: () => ({ dispose: () => undefined }) });
  const facts = {
    homeOf: () => undefined,
    nameOf: () => name,
    remainingQuota: async () => ({ left, size: 100, nextAt: undefined }),
    getFollowUpTexts: () => undefined,
  };
  const lens = new ComposerLens(facts as never, new Emitter<void>(() => undefined) as never);
  const shown = await lens.provideCodeLenses({ uri: { ...uri, query }, getText: () => 'Shorten it' } as never);
  return shown.map(({ command }) => command?.title ?? '');
}

describe('the line above a draft', () => {
  it('says that it is not sent, and mentions the hourly limit only when little is left', async () => {
    const actions = ['Draft, not sent yet', '$(send) Send Follow-up', '$(eye) Preview'];
    deepStrictEqual(await titles(100), [...actions, '10 characters']);
    deepStrictEqual(await titles(10), [...actions, '10 characters · 10 of 100 follow-ups left this hour']);
  });

  it('shows no icon that the name of a project contains', async () => {
    const query = JSON.stringify({ kind: 'new', service: 'https://docs.example', projectId: 'p' });
    const [, send] = await titles(100, query, '$(verified) docs');
    deepStrictEqual(send, '$(send) Send to $\u2060(verified) docs');
  });
});
