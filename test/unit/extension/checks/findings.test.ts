import { deepStrictEqual, match, strictEqual, throws } from 'node:assert/strict';
import type { QuickPickItem, Uri } from 'vscode';
import { ConfigurationError } from '../../../../src/checks/configuration';
import { chooseFindings } from '../../../../src/extension/features/checks/chooseFindings';
import { checkSummary } from '../../../../src/extension/features/checks/documentationChecks';
import type { Findings, ShownFinding } from '../../../../src/extension/features/checks/findings';
import { addIgnoredName } from '../../../../src/extension/features/checks/ignoreFinding';
import { window, workspace } from '../../../support/fakeEditor';
import { coverage, evidenceOf, goneName } from '../../../support/findings';

const uriOf = (path: string): Uri => ({ path, toString: () => `file://${path}` }) as Uri;

function shown(root: string, path: string, line: number, name: string): ShownFinding {
  return {
    id: line,
    root: uriOf(root),
    evidenceRoot: undefined,
    text: name,
    page: uriOf(`${root}/${path}`),
    place: { line: line - 1, start: 0, end: name.length },
    finding: goneName({
      place: { path, line, column: 1, endColumn: 1 + name.length },
      name,
      evidence: evidenceOf('Rename $(x)'),
      successor: null,
    }),
  };
}

describe('the choice of findings', () => {
  let asked: (QuickPickItem & { root?: Uri })[][];
  let prompts: string[];
  let about: (string | undefined)[];

  beforeEach(() => ([asked, prompts, about] = [[], [], []]));

  /** Answers each question with the items that fit. */
  async function choose(all: ShownFinding[], answer: (item: QuickPickItem) => boolean): Promise<void> {
    Object.assign(workspace, { asRelativePath: ({ path }: Uri) => path });
    Object.assign(window, {
      showQuickPick: async (items: QuickPickItem[], { canPickMany = false }) => {
        asked.push(items);
        const picked = items.filter((item) => item.kind === undefined && answer(item));
        return canPickMany ? picked : picked[0];
      },
      showWarningMessage: async (text: string) => void prompts.push(text),
    });
    const options = {
      projects: {
        choose: async (_: unknown, resource?: Uri) => {
          about.push(resource?.path);
          return { service: 's', baseUrl: 'https://s', projectId: 'p' };
        },
      },
      composer: { openForLocation: async (_: unknown, text: string) => prompts.push(text) },
    };
    await chooseFindings(options as never, { all } as Findings);
  }

  it('is grouped by page and ordered by line, with everything selected if there are few', async () => {
    const all = [shown('/a', 'z.md', 9, 'one'), shown('/a', 'b.md', 5, 'two'), shown('/a', 'z.md', 3, 'three')];
    await choose(all, () => true);
    deepStrictEqual(
      asked[0]?.map(({ label, kind, picked }) => (kind === undefined ? [label, picked] : label)),
      ['z.md', ['three', true], ['one', true], 'b.md', ['two', true]],
    );
    match(asked[0][1]?.description ?? '', /^line 3 · Rename \$\u2060\(x\)$/);
    match(prompts[0] ?? '', /^Correct 3 outdated names on 2 pages\n/);
  });

  it('asks to correct each name where it stands now', async () => {
    const [one, two] = [shown('/a', 'a.md', 7, 'name'), shown('/a', 'a.md', 8, 'name')];
    const moved = [one, two].map((each) => ({ ...each, place: { ...each.place, line: each.place.line + 1 } }));
    await choose(moved, () => true);
    deepStrictEqual(prompts[0]?.match(/^- Line \d+: `name`/gm), ['- Line 8: `name`', '- Line 9: `name`']);
  });

  it('starts with nothing selected if there are many, and opens no prompt without a selection', async () => {
    const all = Array.from({ length: 21 }, (_, index) => shown('/a', 'a.md', index + 1, 'name'));
    await choose(all, () => false);
    strictEqual(
      asked[0]?.some(({ picked }) => picked === true),
      false,
    );
    deepStrictEqual([prompts, about], [[], []]);
  });

  it('is limited to the findings of one repository, because a job works on one', async () => {
    const all = [shown('/project/a', 'a.md', 1, 'one'), shown('/project/b', 'b.md', 2, 'two')];
    await choose(all, ({ label }) => label === 'b' || label === 'two');
    strictEqual(asked.length, 2);
    match(prompts[0] ?? '', /^Correct 1 outdated name in b\.md\n/);
    deepStrictEqual(about, ['/project/b/b.md']);
  });

  it('says how many problems did not fit into the prompt', async () => {
    const all = Array.from({ length: 1_000 }, (_, index) => shown('/a', 'a.md', index + 1, 'name'));
    await choose(all, () => true);
    match(prompts[1] ?? '', /^Problems that didn’t fit in this prompt: \d{3}\. Send another prompt for them\.$/);
  });
});

describe('the file with the ignored names', () => {
  it('is created with the name and the reason', () => {
    strictEqual(
      addIgnoredName(undefined, 'maxRetryCount', 'An option of curl'),
      '{\n  "ignore": [\n    {\n      "name": "maxRetryCount",\n      "reason": "An option of curl"\n    }\n  ]\n}\n',
    );
  });

  it('keeps the other settings, their order and the indentation', () => {
    const before =
      '{\n\t"documentation": ["docs/**"],\n\t"ignore": [{ "name": "a", "reason": "b" }],\n\t"code": []\n}\n';
    const after = addIgnoredName(before, 'c', 'd');
    deepStrictEqual(Object.entries(JSON.parse(after) as object), [
      ['documentation', ['docs/**']],
      [
        'ignore',
        [
          { name: 'a', reason: 'b' },
          { name: 'c', reason: 'd' },
        ],
      ],
      ['code', []],
    ]);
    strictEqual(after.split('\n')[1], '\t"documentation": [');
  });

  it('keeps Windows line endings', () => {
    const after = addIgnoredName('{\r\n    "ignore": []\r\n}\r\n', 'a', 'b');
    strictEqual(after.replaceAll('\r\n', '').includes('\n'), false);
    strictEqual(after.split('\r\n')[1], '    "ignore": [');
  });

  it('contains each name once, with the latest reason', () => {
    const once = addIgnoredName(undefined, 'a', 'old');
    deepStrictEqual(JSON.parse(addIgnoredName(once, 'a', 'new')), { ignore: [{ name: 'a', reason: 'new' }] });
  });

  for (const text of [
    '',
    '{"ignore": [',
    '[]',
    'null',
    '"text"',
    '{"ignore": {}}',
    '{"ignored": []}',
    '{ // comment\n}',
    '[['.repeat(200),
  ]) {
    it(`is not touched if it can’t be read: ${text.slice(0, 20)}`, () => {
      throws(() => addIgnoredName(text, 'a', 'b'), ConfigurationError);
    });
  }
});

describe('the result of a check', () => {
  it('counts problems and pages, and says what was not checked and why', () => {
    strictEqual(
      checkSummary({ found: 12, pages: 3, hidden: 0 }, [
        { ...coverage(1_000), notChecked: [{ reason: 'commits', count: 20 }] },
        {
          ...coverage(200),
          notChecked: [
            { reason: 'commits', count: 1_000 },
            { reason: 'size', count: 0 },
          ],
        },
      ]),
      '12 problems on 3 pages. 1,200 pages were checked. Older commits that weren’t searched: 1,020.',
    );
  });

  it('counts what open jobs correct', () => {
    const text = (found: number): string => checkSummary({ found, pages: 1, hidden: 2 }, [coverage(1)]);
    strictEqual(text(0), '1 page was checked. Being fixed by open jobs: 2.');
    match(text(3), /^3 problems on 1 page\. 1 page was checked\. Being fixed by open jobs: 2\.$/);
  });

  it('says that a shallow clone has no history', () => {
    const shallow = [coverage(1, 'shallow')];
    strictEqual(
      checkSummary({ found: 0, pages: 0, hidden: 0 }, shallow),
      'No problems found. 1 page was checked. The clone is shallow: without its full history, removed names can’t be distinguished from names that were never in the code. Run “git fetch --unshallow” and check again.',
    );
  });
});
