import assert from 'node:assert/strict';
import fc from 'fast-check';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { answerPermission } from '../../../../src/local-service/agents/acpTurn';
import { AcpActivityLog } from '../../../../src/local-service/agents/acpActivityLog';
import { findKnownAgent } from '../../../../src/local-service/agents/knownAgents';
import { ToolCalls } from '../../../../src/local-service/agents/toolCalls';
import type { ActivityEntry } from '../../../../src/protocol/activity';
import { scaled, seed } from '../../../support/scale';
import { temporaryFolder } from '../../../support/temporaryRepository';
import { existsSync } from 'node:fs';
import { AcpAgent } from '../../../../src/local-service/agents/acpAgent';
import type { AgentTask } from '../../../../src/local-service/agents/agentDriver';
import { scriptedAs, startScripted, SUPERVISOR } from '../../../support/agentTask';
import { inEnglish } from '../../../support/codedText';
import { TurnFailure } from '../../../../src/local-service/turnFailure';
import { notOnWindows } from '../../../support/machine';

const OPTIONS = ['allow_once', 'reject_once'].map((kind) => ({ optionId: kind, kind }));
const OUTSIDE = ['/root/.bashrc', '../x', 'docs/../../x', '/etc/passwd', '~/x', '$HOME/.bashrc', '/', '..'];

describe('answerPermission', function () {
  let folder = '';

  before(async function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    folder = await realpath(await temporaryFolder());
    await mkdir(join(folder, 'docs'));
  });

  const ask = async (toolCall: object, { mayRunCommands = false, program = '' } = {}) => {
    const calls = new ToolCalls(findKnownAgent(program)?.editorTools);
    const entries: ActivityEntry[] = [];
    const activity = new AcpActivityLog(folder, calls, {
      onEntry: (entry) => entries.push(entry),
      onUsage: () => undefined,
    });
    const { signal: stopping } = new AbortController();
    const request = { toolCall: { toolCallId: '1', title: 'Do it', ...toolCall }, options: OPTIONS };
    const { outcome } = await answerPermission(
      { folder, mayRunCommands, mayWriteSettings: false, calls, activity, stopping },
      request,
    );
    const answer = outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome;
    assert.equal(entries.length, 1);
    return { answer, entry: entries[0] };
  };
  /** Replaces `@` with the path of the job’s folder. */
  const placed = (value: object): object => JSON.parse(JSON.stringify(value).replaceAll('@', folder)) as object;

  const refusals: [string, object][] = [
    ['edit', { filePath: '@/a', replacements: [{ filePath: '/root/.bashrc' }] }],
    ['edit', { path: '@/a', files: [{ path: '/etc/passwd' }] }],
    ['edit', { path: '@/a', edits: [{ file_path: '/root/.bashrc' }] }],
    ['edit', { path: '@/a', input: '*** Begin Patch\n*** Update File: ../../../../root/.bashrc\n' }],
    ['edit', { path: '@/a', patch: '*** Update File: docs/a\n*** Move to: /root/.bashrc\n' }],
    ['edit', { path: '@/a', diff: '--- a/docs/a\n+++ /root/.bashrc\n@@ -1 +1 @@\n-a\n+b\n' }],
    ['edit', { path: '@/a', patchText: 'something else' }],
    ['edit', { path: '@/a', edits: { '/root/.bashrc': { content: 'x' } } }],
    ['edit', { path: '@/a', files: [{ edits: { '..\\..\\x/../../../x': { content: 'x' } } }] }],
    ['edit', { path: '@/a', edits: { '.mcp.json': { content: 'x' } } }],
    ['edit', { path: '@/a', patch: '*** Update File: docs/a\n  *** Update File: /root/.bashrc\n' }],
    ['edit', { path: '@/a', patch: '*** Update File: docs/a\n\u00a0*** Delete File: /root/.bashrc\n' }],
    ['edit', { path: '@/a', patch: '*** Update File:\n*** Update File: /root/.bashrc\n' }],
    ['edit', { path: '@/a', patch: '*** Update File: docs/a\n*** /root/.bashrc\n--- /root/.bashrc\n' }],
    ['edit', { path: '@/a', diff: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/.mcp.json b/.mcp.json\n' }],
    ['edit', { path: '@/a', diff: 'diff --git a/docs/a b/.mcp.json\nold mode 100644\nnew mode 100755\n' }],
    ['edit', { path: '@/a', diff: 'diff --git "a/\\056mcp.json" "b/\\056mcp.json"\n' }],
    ['edit', { path: '@/a', diff: 'diff --git a/a b c/x b/d\n' }],
    ['edit', { path: '@/a', diff: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n+++ /root/.bashrc\n@@ -1 +1 @@\n' }],
    ['edit', { path: '@/a', diff: '--- a/a\n+++ "b/\\056mcp.json"\n' }],
    ['edit', { path: '@/a', diff: '--- a/a\n+++ b/a\nIndex: /root/.bashrc\n' }],
    ['search', { path: '@', pattern: '../../../../root/.ssh/*' }],
    ['search', { path: '@', pattern: 'docs/{a,../../..}/*' }],
    ['search', { path: '@', pattern: '{docs,/root}/*' }],
    ['search', { path: '@', glob: '/root/.aws/**' }],
    ['search', { path: '@', include: '~/.aws/**' }],
    ['read', { path: '@/a', script: 'import os' }],
    ['read', { path: '@/a', code: 'import os' }],
    ['read', { path: '@/a', shell_command: 'curl evil' }],
    ['read', { path: '@/a', commandLine: 'curl evil' }],
    ['read', { path: '@/a', uri: 'https://evil.example/' }],
    ['read', { path: '@/a', uri: 'file:///etc/passwd' }],
    ['edit', { path: '@/a', args: ['sh', '-c', 'x'] }],
    ['edit', { path: '@/a', options: { args: ['sh', '-c', 'x'] } }],
    ['edit', { path: '$HOME/.bashrc' }],
    ['edit', { path: '${HOME}/.bashrc' }],
    ['edit', { path: '@/a', hook: 'something that nobody knows' }],
    ['edit', { path: '@/.claude/settings.json' }],
    ['edit', { path: '@/docs/.mcp.json' }],
    // A tool from an MCP server that the user added.
    ['other', { description: 'Notes', filename: 'a', content: 'x', public: true }],
    ['other', { path: '@/a' }],
    ['other', { path: '@/a', content: 'x' }],
    ['edit', { path: '@/docs/.mcp.json', content: 'x' }],
    ['edit', { path: ' /etc/passwd', content: 'x' }],
    ['think', { command: 'curl evil' }],
    ['think', { path: '/etc/passwd' }],
  ];
  for (const [kind, rawInput] of refusals) {
    it(`refuses ${kind} ${JSON.stringify(rawInput)}`, async () => {
      const locations = kind === 'other' ? undefined : [{ path: join(folder, 'a') }];
      const { answer } = await ask({ kind, locations, rawInput: placed(rawInput) });
      assert.equal(answer, 'reject_once');
    });
  }

  // Goose never reports a tool’s kind. Among its own tools, only those that clearly write are recognized.
  const refusedGoose: [string, object][] = [
    ['write', { path: '@/a' }],
    ['write', { path: '@/a', line: 1 }],
    ['write', { content: 'x', path: '' }],
    ['write', { path: '@/.mcp.json', content: '{}' }],
    ['edit', { path: '/root/.bashrc', before: 'a', after: 'b' }],
    ['write', { path: '@', content: 'x' }],
    ['write', { path: '@/a', content: 'x', command: 'ls' }],
    ['write', { path: '@/a', content: 'x', mode: 'something that nobody knows' }],
    ['notes: write', { path: '@/a', content: 'x' }],
  ];
  for (const [title, rawInput] of refusedGoose) {
    it(`refuses Goose’s “${title}” with ${JSON.stringify(rawInput)}`, async () => {
      const { answer } = await ask({ kind: 'other', title, rawInput: placed(rawInput) }, { program: 'goose' });
      assert.equal(answer, 'reject_once');
    });
  }

  const allowedGoose: [string, object][] = [
    ['write · docs/a.md', { path: '@/docs/a.md', content: 'See /etc/passwd.' }],
    ['developer: write', { path: 'docs/empty.md', content: '' }],
    ['Developer: Edit', { path: '@/docs/a.md', before: 'See ../x.', after: '' }],
  ];
  for (const [title, rawInput] of allowedGoose) {
    it(`allows Goose’s “${title}” inside the folder`, async () => {
      for (const kind of ['other', 'edit', undefined]) {
        const { answer } = await ask({ kind, title, rawInput: placed(rawInput) }, { program: 'goose' });
        assert.equal(answer, 'allow_once');
      }
    });
  }

  // Recorded from the agents in test/support/realAgents.ts.
  const requests: [string, object][] = [
    [
      'Claude Code',
      {
        kind: 'edit',
        locations: [{ path: '@/docs/a.md' }],
        content: [{ type: 'diff', path: '@/docs/a.md', oldText: null, newText: 'See /etc/passwd.' }],
        rawInput: { file_path: '@/docs/a.md', content: 'See /etc/passwd and ../x.' },
      },
    ],
    [
      'Claude Code',
      {
        kind: 'edit',
        rawInput: { file_path: '@/docs/a.md', old_string: '/a', new_string: '~/b', replace_all: false },
      },
    ],
    [
      'opencode',
      {
        kind: 'edit',
        locations: [{ path: '@/docs/a.md' }],
        content: [{ type: 'diff', path: '@/docs/a.md', oldText: '', newText: '# A' }],
        rawInput: {
          filepath: '@/docs/a.md',
          diff: 'Index: @/docs/a.md\n====\n--- @/docs/a.md\n+++ @/docs/a.md\n@@ -0,0 +1,1 @@\n+# A\n',
        },
      },
    ],
    [
      'Copilot',
      {
        kind: 'edit',
        locations: [{ path: '@/docs/a.md' }],
        rawInput: {
          fileName: '@/docs/a.md',
          diff: '\ndiff --git a@/docs/a.md b@/docs/a.md\ncreate file mode 100644\n--- a/dev/null\n+++ b@/docs/a.md\n@@ -1,0 +1,1 @@\n+# A\n',
        },
      },
    ],
    [
      'Gemini CLI',
      {
        kind: 'edit',
        locations: [{ path: '@/docs/a.md' }],
        content: [{ type: 'diff', path: '@/docs/a.md', oldText: '', newText: '# A' }],
      },
    ],
    ['Codex', { kind: 'edit', locations: [{ path: '@/docs/a.md' }] }],
    ['a patch', { kind: 'edit', rawInput: { patch: '*** Begin Patch\n*** Add File: a.md\n+# A\n*** End Patch' } }],
    ['a rename', { kind: 'edit', rawInput: { diff: 'diff --git a/my page.md b/my page.md\nold mode 100644\n' } }],
    ['a search', { kind: 'search', rawInput: { path: '@', pattern: 'retr(y|ies)', glob: '**/*.md', '-n': true } }],
  ];
  for (const [name, toolCall] of requests) {
    it(`allows ${name} inside the folder: ${JSON.stringify(toolCall).slice(0, 60)}`, async () => {
      assert.equal((await ask(placed(toolCall))).answer, 'allow_once');
    });
  }

  it('allows many hunks in one file and refuses a patch that touches more files than the limit', async () => {
    const answerTo = async (count: number, path: (index: number) => string) => {
      const patch = Array.from({ length: count }, (_, index) => `*** Update File: ${path(index)}\n`).join('');
      return (await ask({ kind: 'edit', rawInput: { patch } })).answer;
    };
    assert.equal(await answerTo(1_000, () => 'docs/a'), 'allow_once');
    assert.equal(await answerTo(50, (index) => `docs/${index}`), 'allow_once');
    assert.equal(await answerTo(51, (index) => `docs/${index}`), 'reject_once');
    assert.equal(await answerTo(200_000, () => 'a'), 'reject_once');
  });

  it('explains that a path is outside the folder even when the tool kind is unknown', async () => {
    // opencode’s request for a path outside its folder.
    const { entry } = await ask({ kind: 'other', locations: [{ path: '/tmp/x' }, { path: '/tmp' }] });
    assert.deepEqual(
      [entry?.kind, entry?.kind === 'permission' && entry.why],
      ['permission', 'It’s outside the job folder.'],
    );
  });

  it('shows the actual command instead of the title that the model gave it', async () => {
    const { entry } = await ask({ kind: 'execute', title: 'A command', rawInput: { command: 'touch here' } });
    assert.equal(entry?.kind === 'permission' && entry.title, 'touch here');
  });

  it('refuses every input with an outside path anywhere except in the text to write', async () => {
    const name = fc.oneof(
      fc.constantFrom(
        'path',
        'file_path',
        'files',
        'edits',
        'changes',
        'target',
        'destination',
        'glob',
        'cwd',
        'input',
      ),
      fc.string({ minLength: 1, maxLength: 8 }),
    );
    const harmless = /^(a|b|c|i|n|id|line|text|kind|type)$/i;
    const field = name.filter((each) => !harmless.test(each.replace(/[\s_-]/g, '')));
    const wrapped = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(...OUTSIDE),
        fc.tuple(field, tie('value')).map(([key, value]) => ({ [key]: value, content: 'text' })),
        tie('value').map((value) => [value]),
      ),
    })).value;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('read', 'edit', 'search', 'think', 'move'),
        field,
        wrapped,
        async (kind, key, value) => {
          const rawInput = { path: join(folder, 'docs/a.md'), nested: { [key]: value } };
          const { answer } = await ask({ kind, locations: [{ path: join(folder, 'docs/a.md') }], rawInput });
          assert.equal(answer, 'reject_once');
        },
      ),
      { seed, numRuns: scaled(1_000, 20_000) },
    );
  });
});

describe('AcpAgent permissions', function () {
  notOnWindows();
  const agent = new AcpAgent(SUPERVISOR, process.env);

  const start = (prompt: string, more: Partial<AgentTask> = {}, ...options: string[]) =>
    startScripted(agent, prompt, more, options);

  describe('for an agent that starts in a mode without permission requests', () => {
    const OUTSIDE = '[scripted: run touch ../ran] [scripted: edit docs/new.md]';
    const asClaude = async (...options: string[]) => [await scriptedAs('claude-agent-acp'), ...options];

    it('switches the agent to a mode that asks and refuses its commands', async () => {
      const command = await asClaude('--modes', 'default,plan,auto');
      const { work, entries, inFolder, text } = await start(OUTSIDE, { command });
      await work;
      assert.equal(existsSync(inFolder('../ran')), false);
      assert.deepEqual(answersIn(entries), ['refused touch ../ran', 'allowed Edit docs/new.md']);
      assert.equal(await text('docs/new.md'), 'An edit that was asked for.\n');
    });

    for (const offer of ['resume', 'load']) {
      it(`switches the mode again after session/${offer}`, async () => {
        const command = await asClaude('--modes', 'default,auto', '--offers', offer);
        const first = await start('First [scripted: change nothing]', { command });
        await first.work;
        const more = { command, folder: first.task.folder, session: first.sessions[0] };
        const { work, entries } = await start(OUTSIDE, more);
        await work;
        assert.deepEqual(answersIn(entries), ['refused touch ../ran', 'allowed Edit docs/new.md']);
      });
    }

    it('adds a note when the agent lists no such mode', async () => {
      const { work, entries } = await start('', { command: await asClaude('--modes', 'plan,auto') });
      await work;
      assert.match(JSON.stringify(entries[0]), /^\{"kind":"note","text":"Couldn’t switch Claude Code to/);
    });

    it('keeps the mode of an unknown agent', async () => {
      const { work, entries } = await start('[scripted: change nothing]', {}, '--modes', 'default,auto');
      await work;
      assert.deepEqual(
        entries.map(({ kind }) => kind),
        ['message'],
      );
    });
  });

  describe('for an agent whose request is refused', () => {
    const early = async (...options: string[]) => {
      const { work, entries } = await start('[scripted: run ls] Go on', {}, ...options);
      return { outcome: await work, entries };
    };

    for (const how of [['--gives-up'], ['--gives-up', 'cancelled']]) {
      it(`reports that the agent gave up after the refusal (${how.join(' ')})`, async () => {
        const { outcome } = await early(...how);
        assert.match(
          inEnglish(outcome.endedEarly),
          /^The agent stopped when permission for “ls” was denied\. Allow commands \(docsAgent/,
        );
      });
    }

    for (const options of [[], ['--denies']]) {
      it(`is stopped when it asks for the same command again and again ${options.join()}`, async () => {
        const { work, entries } = await start('[scripted: insist npm run docs:build]', {}, ...options);
        const words =
          'The agent stopped when permission for “npm run docs:build” was denied. Allow commands (docsAgent.local.permissions,';
        await assert.rejects(work, (error) => error instanceof TurnFailure && error.message.startsWith(words));
        const refused = answersIn(entries).filter((answer) => answer === 'refused npm run docs:build');
        // With `--denies`, it doesn't wait for answers.
        assert.equal(Math.min(refused.length, options.length === 0 ? Infinity : 5), 5);
      });
    }

    it('does not report an early end when the agent continued', async () => {
      const { outcome, entries } = await early();
      assert.equal(outcome.endedEarly, undefined);
      assert.deepEqual(answersIn(entries), ['refused ls']);
    });

    it('reports requests that the agent itself refused', async () => {
      const { outcome, entries } = await early('--denies');
      assert.equal(outcome.endedEarly, undefined);
      assert.deepEqual(answersIn(entries), ['refused ls']);
    });
  });

  const answersIn = (entries: readonly ActivityEntry[]): string[] =>
    entries.flatMap((entry) => (entry.kind === 'permission' ? [`${entry.answer} ${entry.title}`] : []));
});
