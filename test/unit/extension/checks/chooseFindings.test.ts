import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import type { QuickPickItem, Uri } from 'vscode';
import { chooseFindings } from '../../../../src/extension/features/checks/chooseFindings';
import type { Findings, ShownFinding } from '../../../../src/extension/features/checks/findings';
import { window, workspace } from '../../../support/fakeEditor';

const uriOf = (path: string): Uri => ({ path, toString: () => `file://${path}` }) as Uri;

function shown(root: string, path: string, line: number, name: string): ShownFinding {
  return {
    id: line,
    root: uriOf(root),
    page: uriOf(`${root}/${path}`),
    place: { line: line - 1, start: 0, end: name.length },
    finding: {
      rule: 'gone-name',
      place: { path, line, column: 1, endColumn: 1 + name.length },
      name,
      kind: 'identifier',
      written: '0',
      removed: { commit: '0123456789abcdef', subject: 'Rename $(x)', date: 1 },
      successor: null,
    },
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
      composer: { openForHome: async (_: unknown, text: string) => prompts.push(text) },
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
    match(prompts[0] ?? '', /^Correct 3 outdated names on 2 pages\./);
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
    match(prompts[0] ?? '', /^Correct 1 outdated name in `b\.md`\./);
    deepStrictEqual(about, ['/project/b/b.md']);
  });

  it('says how many names did not fit into the prompt', async () => {
    const all = Array.from({ length: 1_000 }, (_, index) => shown('/a', 'a.md', index + 1, 'name'));
    await choose(all, () => true);
    match(prompts[1] ?? '', /^Names that didn’t fit in this prompt: \d{3}\. Send another prompt for them\.$/);
  });
});
