import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import type { InputBoxOptions, QuickPickItem, QuickPickOptions } from 'vscode';
import { connectLocal } from '../../../../src/extension/features/connect/connectLocal';
import type { FoundAgent, ProjectSettings } from '../../../../src/protocol/localService';
import { window, workspace } from '../../../support/fakeEditor';

const get = { code: 'getWithCommand', params: { command: 'npm install --global claude-agent-acp' } } as const;
const CLAUDE: FoundAgent = {
  name: 'claude',
  title: 'Claude Code',
  path: null,
  how: '',
  coded: {
    code: 'agentAndAdapterNotInstalled',
    params: { title: 'Claude Code', program: 'claude-agent-acp', get },
  },
};
const GOOSE: FoundAgent = { name: 'goose', title: 'Goose', path: '/bin/goose', how: '' };

describe('connecting to the local service', () => {
  let saved: unknown[];
  /** The user settings before. */
  let present: Record<string, unknown>;
  let registered: ProjectSettings[];
  /** Programs that the service can't find. */
  let missing: string[];
  let agents: FoundAgent[];
  /** The rows that are picked, by a part of their label, and what is typed into boxes. */
  let answers: string[];
  let lists: { placeHolder: string | undefined; rows: string[] }[];
  let boxes: InputBoxOptions[];

  beforeEach(() => {
    [saved, present, registered, missing, agents, answers, lists, boxes] = [[], {}, [], [], [CLAUDE], [], [], []];
    Object.assign(window, {
      withProgress: (_: unknown, work: () => unknown) => work(),
      showQuickPick: async (items: QuickPickItem[], { placeHolder }: QuickPickOptions) => {
        lists.push({ placeHolder, rows: items.map(({ label, detail }) => `${label} ${detail ?? ''}`) });
        const answer = answers.shift() ?? 'nothing';
        return items.find(({ label }) => label.includes(answer));
      },
      showInputBox: async (box: InputBoxOptions) => {
        boxes.push(box);
        return answers.shift();
      },
    });
    Object.assign(workspace, {
      workspaceFolders: [{ uri: { scheme: 'file', fsPath: '/handbook' } }],
      isTrusted: true,
      getConfiguration: () => ({
        get: (name: string, initial?: unknown) => present[name] ?? initial,
        update: async (name: string, value: unknown) => void saved.push([name, value]),
      }),
    });
  });

  const connect = (): ReturnType<typeof connectLocal> => {
    const localAccess = {
      agents: async () => ({
        agents,
        chosen: agents.find(({ path }) => path?.startsWith('/bin/'))?.name ?? null,
        sandbox: null,
      }),
      register: async (_: string, jobs: ProjectSettings) => {
        registered.push(jobs);
        return {
          projectId: 'p1',
          name: 'handbook',
          agent: missing.includes(jobs.command[0] ?? '') ? null : 'an agent',
        };
      },
    };
    return connectLocal({ localAccess, localAvailable: true } as never, undefined);
  };

  it('asks for a command in the last row, and saves it', async () => {
    answers = ['Custom command…', 'node "/opt/my agent.mjs" --fast'];
    const done = await connect();
    match(lists[0]?.rows.at(-1) ?? '', /^\$\(edit\) Custom command…/);
    deepStrictEqual(saved, [
      ['local.agentCommand', ['node', '/opt/my agent.mjs', '--fast']],
      ['local.agent', 'custom'],
      ['service', 'local'],
    ]);
    match(done?.text ?? '', /^node handles jobs for handbook\.$/);
  });

  it('offers the demo agent, but not as an installed one', async () => {
    agents = [CLAUDE, { name: 'demo', title: 'Demo agent', path: '/extension/media/demoAgent.mjs', how: '' }];
    answers = ['Demo agent (fixed rules, no model)'];
    const done = await connect();
    match(lists[0]?.placeHolder ?? '', /^No coding agent is installed\. .* or take the demo agent\.$/);
    deepStrictEqual(
      [done?.text, done?.note],
      ['Demo agent (fixed rules, no model) handles jobs for handbook.', undefined],
    );
    deepStrictEqual(
      lists[0]?.rows.map((row) => /^(?:\$\(\S+ )?(\w+)/.exec(row)?.[1]),
      ['To', 'Demo', 'Not', 'Claude', 'Other', 'Custom'],
    );
    deepStrictEqual(saved[0], ['local.agent', 'demo']);
  });

  it('asks again, with the command in the box, if its program isn’t found', async () => {
    missing = ['adier'];
    answers = ['Custom command…', 'adier --yes', 'aider --yes'];
    await connect();
    strictEqual(boxes[1]?.value, 'adier --yes');
    match(boxes[1].prompt ?? '', /^“adier” wasn’t found\. Enter a program/);
    deepStrictEqual(
      registered.map(({ agent, command }) => [agent, command]),
      [
        ['custom', ['adier', '--yes']],
        ['custom', ['aider', '--yes']],
      ],
    );
    deepStrictEqual(saved[0], ['local.agentCommand', ['aider', '--yes']]);
  });

  it('saves nothing if the box is closed', async () => {
    answers = ['Custom command…'];
    strictEqual(await connect(), undefined);
    deepStrictEqual([saved, registered], [[], []]);
  });

  it('does not offer the first agent found as the one that runs if a command is set, which comes first', async () => {
    agents = [GOOSE];
    present = { 'local.agentCommand': ['aider'] };
    await connect();
    match(lists[0]?.rows[0] ?? '', /Custom command aider$/);
  });

  it('says through which adapter an agent is used, and that it is still missing when it was looked up again', async () => {
    answers = ['Claude Code', ''];
    await connect();
    const adapter = /used through “claude-agent-acp”, an adapter that includes it\. Install it with “npm install/;
    match(lists[0]?.rows[1] ?? '', /used through “claude-agent-acp”, an adapter that includes it\./);
    match(boxes[0]?.prompt ?? '', adapter);
    strictEqual(boxes[0]?.value, 'npm install --global claude-agent-acp');
    strictEqual(lists[1]?.placeHolder, 'Still not found: Claude Code');
  });
});
