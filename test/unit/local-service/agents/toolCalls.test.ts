import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { toolCallSchema } from '../../../../src/local-service/agents/acpMessages';
import { findKnownAgent } from '../../../../src/local-service/agents/knownAgents';
import { ToolCalls } from '../../../../src/local-service/agents/toolCalls';

describe('ToolCalls', () => {
  const update = (...messages: object[]) => {
    const calls = new ToolCalls();
    const known = messages.map((message) => calls.update({ toolCallId: '1', ...message }));
    return known.at(-1)!;
  };

  it('merges partial updates and collects paths from every field', () => {
    const call = update(
      { title: 'Edit', kind: 'edit', locations: [{ path: 'a' }] },
      { status: 'in_progress', content: [{ type: 'diff', path: 'b' }, { type: 'content' }] },
      {
        rawInput: { file_path: 'c', filePath: 'd', content: 'path', changes: { e: { move_path: 'f' } }, paths: ['g'] },
      },
    );
    assert.deepEqual(call, {
      id: '1',
      title: 'Edit',
      kind: 'edit',
      state: 'in_progress',
      places: 'a,b,c,d,e,f,g'.split(','),
      files: ['a', 'b'],
      writes: true,
    });
  });

  it('classifies a tool call with a command as a command and keeps that kind', () => {
    assert.equal(update({ kind: 'read', rawInput: { command: ['cat', 'x'] } }).kind, 'execute');
    assert.equal(update({ kind: 'read', rawInput: { cmd: 'cat x' } }, { kind: 'read' }).kind, 'execute');
    assert.equal(update({ kind: 'search', rawInput: { url: 'https://example.org' } }).kind, 'fetch');
    assert.equal(update({ kind: 'edit', rawInput: { command: 'str_replace', path: 'x' } }).kind, 'edit');
  });

  it('adds an empty path, which is never allowed, for too many, too long or missing paths', () => {
    assert.deepEqual(update({ locations: [{ path: 'x'.repeat(5_000) }] }).places, ['']);
    assert.deepEqual(update({ content: [{ type: 'diff' }] }).places, ['']);
    const many = Array.from({ length: 600 }, (_, index) => ({ path: String(index) }));
    assert.equal(update({ locations: many }).places.at(-1), '');
  });

  const call = (toolCallId: string, more: Record<string, unknown> = {}) =>
    toolCallSchema.parse({ toolCallId, ...more });
  const used = (): number => {
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const large = (name: string) => ({
    title: name,
    locations: Array.from({ length: 500 }, (_, at) => ({ path: `${name}-${at}-`.padEnd(4_000, 'x') })),
  });

  const kindFor = (agent: string, title: string, more: object = {}): string => {
    const rawInput = { path: 'docs/a.md', content: 'Text.' };
    return new ToolCalls(findKnownAgent(agent)?.editorTools).update(call('a', { title, rawInput, ...more })).kind;
  };

  for (const title of [
    'Developer: Text Editor',
    'developer: text editor',
    'Developer: Edit',
    'developer: write',
    'developer: edit · docs/a.md',
    'write · docs/a.md',
    'edit',
    'developer__text_editor',
  ]) {
    it(`treats “${title}” of Goose, which reports no kind, as an edit`, () => {
      assert.equal(kindFor('goose', title), 'edit');
      assert.equal(kindFor('goose', title, { rawInput: { path: 'docs/a.md' } }), 'other');
    });
  }

  for (const title of [
    'mcp__github__create_gist',
    'github: write',
    'todo: write · docs/a.md',
    'github: create gist · write',
    'developer: shell',
    'writer',
    'x\ndeveloper: write',
    '',
  ]) {
    it(`does not treat ${JSON.stringify(title)} of Goose as an edit: it may be a tool of a user’s server`, () => {
      assert.equal(kindFor('goose', title), 'other');
    });
  }

  for (const agent of ['claude-agent-acp', 'codex-acp', 'gemini', 'opencode', 'copilot', 'cursor-agent', 'my-agent']) {
    it(`treats a call of ${agent} as an edit only if the agent says so`, () => {
      const content = [{ type: 'diff', path: 'docs/a.md' }];
      for (const title of ['mcp__github__create_gist', 'write', 'developer: write']) {
        assert.deepEqual([kindFor(agent, title), kindFor(agent, title, { content })], ['other', 'other']);
      }
    });
  }

  it('rejects an id of more than 1024 characters', () => {
    assert.equal(toolCallSchema.safeParse({ toolCallId: 'x'.repeat(1025) }).success, false);
    assert.equal(call('x'.repeat(1024)).toolCallId.length, 1024);
  });

  const placesIn = (rawInput: object) => new ToolCalls().update(call('a', { rawInput })).places;

  it('does not understand a patch with a line end that only some tools know, or a pattern that joins two dots', () => {
    for (const end of ['\r', '\u2028', '\u2029']) {
      assert.ok(placesIn({ patch: `*** Add File: docs/a.md${end}/../../../evil.md\n` }).includes(''));
      assert.ok(placesIn({ fileName: 'docs/a.md', diff: `--- a/a.md\n+++ b/a.md${end}/../../evil.md\n` }).includes(''));
    }
    assert.deepEqual(placesIn({ patch: '*** Add File: docs/a.md\r\n+text\r\n' }), ['docs/a.md']);
    for (const pattern of ['.{.,}/etc/*', '{.,}./etc/*', '.(.|)/x', '.{a,}.', '{.,y}.', '.{{.,y},z}', '{a,.}{.,b}']) {
      assert.deepEqual(placesIn({ pattern }), [''], pattern);
    }
    assert.deepEqual(
      placesIn({ pattern: ['docs/**/*.{md,mdx}', '*.{test.ts,spec.ts}', '{.github,docs}/*', '{README,NEWS}.md'] }),
      [],
    );
  });

  for (const pattern of [
    '[.][.]/etc/*',
    '.[.]/etc/*',
    '[.a][!a]/etc/*',
    '[[.][].]/etc/*',
    '\\.\\./etc/*',
    '.\\./etc/*',
    'docs/[.]./x',
    '+(.)/etc/*',
    'docs;../x',
    'docs\n../x',
    'docs;/etc/*',
    'docs\n/etc/*',
  ]) {
    it(`does not understand the pattern ${JSON.stringify(pattern)}, which may leave the folder`, () => {
      assert.deepEqual(placesIn({ pattern }), ['']);
    });
  }

  it('looks for a place after a space only where tools accept several globs', () => {
    for (const glob of ['*.md /etc/*', '*.md ../x', '*.md ~/.ssh/*']) {
      assert.deepEqual(placesIn({ glob }), [''], glob);
      assert.deepEqual(placesIn({ pattern: glob }), [], glob);
    }
  });

  it('reads the place of a pattern without its escapes', () => {
    assert.deepEqual(placesIn({ pattern: '\\/etc/*' }), ['\\/etc/', '/etc/']);
    assert.deepEqual(placesIn({ pattern: 'from [\'"]\\.\\.?[^/]+\\.md' }), []);
  });

  it('understands the patches and patterns of a call only up to a total size', () => {
    const patch = '*** Update File: a.md\n'.repeat(2_000);
    const long = patch + '+text\n'.repeat(75_000);
    assert.deepEqual(placesIn({ patch: [patch, patch], pattern: 'a'.repeat(4_096) }), ['a.md']);
    for (const input of [{ patch: [patch, patch, patch] }, { patch: [long, long, long] }]) {
      assert.deepEqual(placesIn(input), ['a.md', '']);
    }
    assert.deepEqual(placesIn({ pattern: Array(300).fill('a'.repeat(4_096)) }), ['']);
  });

  it('forgets the oldest calls when the total size gets large', () => {
    const calls = new ToolCalls();
    for (let at = 0; at < 100; at++) {
      calls.update(call(`id-${at}`, large(`title-${at}`)));
    }
    const titleOf = (at: number): string => calls.update(call(`id-${at}`)).title;
    assert.deepEqual([titleOf(99), titleOf(90), titleOf(0)], ['title-99', 'title-90', '']);
  });

  it('remembers many small calls and counts a repeatedly updated call only once', () => {
    const calls = new ToolCalls();
    calls.update(call('first', { title: 'First' }));
    for (let at = 0; at < 500; at++) {
      calls.update(call('again', large('again')));
      calls.update(call(`small-${at}`, { title: 'small' }));
    }
    assert.equal(calls.update(call('first')).title, 'First');
  });

  it('holds only the part of a long title in memory that it keeps', function () {
    const calls = new ToolCalls();
    const before = used();
    for (let at = 0; at < 300; at++) {
      calls.update(call(`id-${at}`, { title: Buffer.alloc(2_000_000, 65).toString('latin1') }));
    }
    // The titles add up to 600 MB.
    assert.ok(used() - before < 300_000_000);
    assert.equal(calls.update(call('id-0')).title.length, 1_000);
  });
});
