import { deepStrictEqual } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TextDocument } from 'vscode';
import { Emitter } from '../../../../src/base/disposable';
import { PROMPT_LANGUAGE } from '../../../../src/extension/features/prompt/composer/promptFiles';
import { languages, workspace } from '../../../support/fakeEditor';
import { SecretFinder, type SecretFinderOptions } from '../../../../src/extension/sending/sendPrompt';
import { redactFindings } from '../../../../src/prompt/secrets/findSecrets';

const ignore = (): void => undefined;
const log = { info: ignore, warn: ignore, error: ignore };

describe('secret diagnostics in an open prompt', () => {
  it('run one search at a time, aborted by an edit, by closing the document or on disposal', async () => {
    const [opened, changed, closed] = [0, 1, 2].map(() => new Emitter<unknown>(ignore));
    const collection = { set: ignore, delete: ignore, dispose: ignore };
    Object.assign(languages, {
      createDiagnosticCollection: () => collection,
      registerCodeActionsProvider: () => ({ dispose: ignore }),
    });
    Object.assign(workspace, {
      textDocuments: [],
      onDidOpenTextDocument: opened?.event,
      onDidChangeTextDocument: changed?.event,
      onDidCloseTextDocument: closed?.event,
    });
    const { SecretDiagnostics } = await import('../../../../src/extension/features/prompt/composer/secretDiagnostics');
    const looks: (AbortSignal | undefined)[] = [];
    const find = async (_: string, signal?: AbortSignal): Promise<never> => {
      looks.push(signal);
      return new Promise<never>(ignore);
    };
    const diagnostics = new SecretDiagnostics({ find }, log);
    const uri = { toString: () => 'a' };
    const document = { uri, languageId: PROMPT_LANGUAGE, getText: () => 'Text' } as unknown as TextDocument;
    const ended: (boolean | undefined)[][] = [];
    const note = (): unknown => ended.push(looks.map((signal) => signal?.aborted));

    for (const end of [() => changed?.fire({ document }), () => closed?.fire(document), () => diagnostics.dispose()]) {
      opened?.fire(document);
      await sleep(10);
      note();
      end();
      note();
    }
    deepStrictEqual(ended, [[false], [true], [true, false], [true, true], [true, true, false], [true, true, true]]);
  });
});

const none = { addStoredSecrets: () => Promise.resolve(), find: () => [] };
const finder = new SecretFinder({ keys: none, tokens: none, log: console } as unknown as SecretFinderOptions);

describe('secret search in several texts', () => {
  it('searches each text separately, so that no match spans two texts', async () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const texts = ['-----BEGIN PRIVATE KEY-----', 'Explain the tides', `Use ${token}`, '-----END PRIVATE KEY-----'];
    const found = await finder.findEach(texts);
    deepStrictEqual(
      texts.map((text, index) => redactFindings(text, found[index] ?? [], (kind) => kind).replace(/: [^\]]+\]/, ']')),
      ['-----BEGIN PRIVATE KEY-----', 'Explain the tides', 'Use [redacted]', '-----END PRIVATE KEY-----'],
    );
  });
});
