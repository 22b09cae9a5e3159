import { deepStrictEqual } from 'node:assert/strict';
import type { QuickPickItem } from 'vscode';
import { showAgents } from '../../../../src/extension/features/local-service/showAgents';
import { window, workspace } from '../../../support/fakeEditor';

describe('the list of coding agents', () => {
  it('has the demo agent apart from the installed ones, and asks for a command of the user’s own', async () => {
    const saved: unknown[] = [];
    let rows: QuickPickItem[] = [];
    Object.assign(workspace, {
      getConfiguration: () => ({
        get: (_: string, initial?: unknown) => initial,
        update: async (name: string, value: unknown) => void saved.push([name, value]),
      }),
    });
    Object.assign(window, {
      showQuickPick: async (items: QuickPickItem[]) => {
        rows = items;
        return items.find(({ label }) => label.includes('Custom command…'));
      },
      showInputBox: async () => 'aider --yes',
    });
    const agents = [
      { name: 'goose', title: 'Goose', path: '/bin/goose', how: '' },
      { name: 'demo', title: 'Demo agent', path: '/extension/service.mjs', how: '' },
      { name: 'claude', title: 'Claude Code', path: null, how: '' },
    ];
    await showAgents({ agents: async () => ({ agents, chosen: 'goose', sandbox: null }) } as never);
    deepStrictEqual(
      rows.map(({ label, kind }) => (kind === undefined ? label.replace(/^\S+ /, '') : `- ${label}`)),
      [
        ...['- Installed', 'Goose', '- To try out', 'Demo agent (fixed rules, no model)'],
        ...['- Other', 'Custom command…', 'Sandbox', '- Not found', 'Claude Code'],
      ],
    );
    deepStrictEqual(saved, [
      ['local.agentCommand', ['aider', '--yes']],
      ['local.agent', 'custom'],
    ]);
  });
});
