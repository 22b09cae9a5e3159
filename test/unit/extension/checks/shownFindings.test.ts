import { deepStrictEqual } from 'node:assert/strict';
import type { Diagnostic, Memento, TextDocument, TextDocumentChangeEvent, Uri } from 'vscode';
import type { Finding } from '../../../../src/checks/finding';
import { Findings } from '../../../../src/extension/features/checks/findings';
import { findingForAgent } from '../../../../src/extension/presentation/findingMessage';
import { FindingRows } from '../../../../src/extension/presentation/findingRows';
import { renderFindings } from '../../../../src/prompt/findings';
import { editor, languages, workspace } from '../../../support/fakeEditor';
import { brokenLink, changedDefault, EVIDENCE, goneName, missingImage } from '../../../support/findings';

const ignore = (): void => undefined;
const log = { info: ignore, warn: ignore, error: ignore };
const ROOT = editor.Uri.file('/r') as Uri;
const CODE = editor.Uri.file('/code') as Uri;

const PAGE = [
  'Set `attempts\\_left` to `"5"`.',
  'See [the limits](../limits%20of%20x.md#top)',
  '![](a.png), and `client.fetch(',
  'url)`. [More][1]',
];

/** Where the text begins in the page; several lines are one text. */
const at = (line: number, text: string): Finding['place'] => {
  const column = (PAGE[line - 1] ?? '').indexOf(text) + 1;
  return { path: 'docs/a.md', line, column, endColumn: column + text.length };
};

describe('the findings in the Problems view', () => {
  let shown: readonly Diagnostic[];
  let edit: (change: TextDocumentChangeEvent) => void;
  const rows = new FindingRows();
  let memento: Pick<Memento, 'get' | 'update'>;
  let lines: string[];
  const document = (): TextDocument =>
    ({
      uri: editor.Uri.joinPath(ROOT, 'docs/a.md'),
      lineCount: lines.length,
      lineAt: (line: number) => ({ text: lines[line] }),
      getText: () => lines.join('\n'),
    }) as unknown as TextDocument;

  beforeEach(() => {
    lines = [...PAGE];
    let saved: string | undefined;
    memento = {
      get: <T>(_: string, other?: T) => (saved === undefined ? (other as T) : (JSON.parse(saved) as T)),
      update: async (_, value) => void (saved = JSON.stringify(value)),
    };
    const nothing = () => ({ dispose: () => undefined });
    const collection = {
      set: (_: Uri, diagnostics: readonly Diagnostic[]) => void (shown = diagnostics),
      delete: () => void (shown = []),
      clear: () => void (shown = []),
      dispose: () => undefined,
    };
    Object.assign(languages, { createDiagnosticCollection: () => collection });
    Object.assign(workspace, {
      onDidChangeTextDocument: (listener: typeof edit) => {
        edit = listener;
        return nothing();
      },
      onDidOpenTextDocument: nothing,
      createFileSystemWatcher: () => ({
        onDidChange: nothing,
        onDidCreate: nothing,
        onDidDelete: nothing,
        ...nothing(),
      }),
      textDocuments: [],
      fs: {
        stat: async () => ({ type: 'File', size: 1 }),
        readFile: async () => new TextEncoder().encode(lines.join('\n')),
      },
    });
  });

  it('stand where the page says it, in its own notation, and follow it until it is changed', async () => {
    const findings = new Findings(log, rows, memento);
    const all = [
      goneName({ place: at(1, 'attempts\\_left'), name: 'attempts_left' }),
      changedDefault({ place: at(1, '"5"'), evidence: { ...EVIDENCE, repository: 1 } }),
      brokenLink({ place: at(2, '../limits%20of%20x.md#top'), target: '../limits%20of%20x.md#top' }),
      missingImage({ place: at(3, 'a.png'), target: 'a.png' }),
      goneName({ place: at(3, 'client.fetch('), name: 'client.fetch(url)' }),
      brokenLink({ place: at(4, '[More][1]'), target: 'more.md' }),
    ];
    await findings.add([ROOT, CODE], 'docs/a.md', all);
    const texts = (): string[] => findings.all.map(({ text }) => text);
    const whole = ['attempts\\_left', '"5"', '../limits%20of%20x.md#top', 'a.png', 'client.fetch(', '[More][1]'];
    deepStrictEqual(texts(), whole);
    deepStrictEqual(
      findings.all.map(({ evidenceRoot }) => evidenceRoot?.path),
      ['/r', '/code', '/r', '/r', '/r', '/r'],
    );
    const type = (line: number, from: string, to: string): void => {
      const start = (lines[line] ?? '').indexOf(from);
      lines[line] = (lines[line] ?? '').replace(from, to);
      const range = {
        start: { line, character: start },
        end: { line, character: start + from.length },
        isSingleLine: true,
      };
      edit({ document: document(), contentChanges: [{ range, text: to }] } as never);
    };
    type(1, 'See', 'Do see');
    type(0, '5', '50');
    deepStrictEqual(
      texts(),
      whole.filter((text) => text !== '"5"'),
    );
    type(1, 'x.md', 'y.md');
    type(2, '![](a.png)', '');
    deepStrictEqual(texts(), ['attempts\\_left', 'client.fetch(', '[More][1]']);
    deepStrictEqual(shown.length, 3);
  });

  it('are rows of the list that say what took their place, and where they stand now', async () => {
    const findings = new Findings(log, rows, memento);
    await findings.add([ROOT], 'docs/a.md', [
      goneName({ place: at(1, 'attempts\\_left'), name: 'attempts_left', successor: 'attemptsLeft' }),
      changedDefault({ place: at(1, '"5"'), documented: '5', current: '3' }),
      missingImage({ place: at(3, 'a.png'), target: 'a.png', evidence: null }),
    ]);
    const shownRows = (): unknown[] =>
      rows.all.map(({ item }) => {
        const { label, description, contextValue = '' } = item();
        return [label, description, contextValue.includes(';showFindingCommit;')];
      });
    deepStrictEqual(shownRows(), [
      ['attempts_left', 'a.md:1 · now attemptsLeft', true],
      ['retries', 'a.md:1 · now 3', true],
      ['a.png', 'a.md:3', false],
    ]);
    lines.unshift('A new line');
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 }, isSingleLine: true };
    edit({ document: document(), contentChanges: [{ range, text: 'A new line\n' }] } as never);
    findings.remove(({ text }) => text !== 'a.png');
    deepStrictEqual(shownRows(), [['a.png', 'a.md:4', false]]);
    findings.clear();
    deepStrictEqual(rows.all, []);
  });

  it('are there after a reload, where the pages still say it, unless they were dismissed', async () => {
    const findings = new Findings(log, rows, memento);
    await findings.add([ROOT, CODE], 'docs/a.md', [
      goneName({ place: at(1, 'attempts\\_left'), name: 'attempts_left' }),
      missingImage({ place: at(3, 'a.png'), target: 'a.png' }),
      goneName({ place: at(3, 'client.fetch('), name: 'client.fetch', evidence: { ...EVIDENCE, repository: 1 } }),
    ]);
    findings.remove(({ text }) => text === 'a.png');
    lines = ['A new line', 'Set `it` to `"5"`.', ...PAGE.slice(1)];
    const later = new Findings(log, rows, memento);
    await later.restore();
    deepStrictEqual(
      later.all.map(({ text, place, evidenceRoot }) => [text, place.line, evidenceRoot?.path]),
      [['client.fetch(', 3, '/code']],
    );
    deepStrictEqual([shown.length, rows.all.length], [1, 1]);
    later.clear();
    deepStrictEqual(memento.get('', 'nothing'), 'nothing');
  });

  it('are hidden while a job is open whose prompt asks for them', async () => {
    const findings = new Findings(log, rows, memento);
    const sent = goneName({ place: at(1, 'attempts\\_left'), name: 'attempts_left' });
    await findings.add([ROOT], 'docs/a.md', [sent, missingImage({ place: at(3, 'a.png'), target: 'a.png' })]);
    const ask = (path: string): string =>
      renderFindings([{ path, line: 9, what: 'outdated name', text: findingForAgent(sent) }]).text;
    const counts = (): number[] => [findings.known.length, findings.all.length, shown.length, rows.all.length];
    findings.hide([ask('docs/b.md'), 'Another prompt']);
    deepStrictEqual(counts(), [2, 2, 2, 2]);
    findings.hide([ask('docs/a.md')]);
    deepStrictEqual(counts(), [2, 1, 1, 1]);
    deepStrictEqual(
      findings.all.map(({ text }) => text),
      ['a.png'],
    );
    findings.hide([]);
    deepStrictEqual(counts(), [2, 2, 2, 2]);
  });

  it('stand where the page says it now, if it has changed since the check', async () => {
    lines = ['', 'A new line', ...PAGE];
    const findings = new Findings(log, rows, memento);
    const all = [
      missingImage({ place: at(3, 'a.png'), target: 'a.png' }),
      brokenLink({ place: at(2, 'limits'), target: 'no.md' }),
    ];
    await findings.add([ROOT], 'docs/a.md', all);
    deepStrictEqual(
      findings.all.map(({ text, place }) => [text, place.line]),
      [['a.png', 4]],
    );
  });
});
