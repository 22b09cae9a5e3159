import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { toolCallSchema } from '../../../../src/local-service/agents/acpMessages';
import { findKnownAgent } from '../../../../src/local-service/agents/knownAgents';
import { locatePath, type PathLocation } from '../../../../src/local-service/agents/pathLocation';
import { decide, optionFor } from '../../../../src/local-service/agents/permissions';
import { ToolCalls } from '../../../../src/local-service/agents/toolCalls';

/** A request of a real agent that a scripted model has led to it, and the updates of the same call before it. */
interface Recorded {
  agent: string;
  version: string;
  does: string;
  /** The reason for the decision, by its code. */
  decision: string;
  /** What the activity log calls it, unless that is the request's title. */
  log?: string;
  updates?: object[];
  request: { title: string };
}

/** Ids are shortened; the job's folder is /FOLDER. */
const RECORDED = readFileSync(new URL('./recordedRequests.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);

const ALLOWED = ['insideFolder', 'onlyThinks'];
const BY_SETTING = ['commandsForbidden', 'networkForbidden', 'unclearWhat'];
const STRICT = { mayRunCommands: false, mayWriteSettings: false };

describe('a permission request', () => {
  for (const { agent, version, does, decision, log, updates = [], request } of RECORDED) {
    it(`of ${agent} (${version}) that ${does}: ${decision}`, async () => {
      const calls = new ToolCalls(findKnownAgent(agent));
      updates.forEach((update) => calls.update(toolCallSchema.parse(update)));
      const { kind, places: named, title, command } = calls.ask(toolCallSchema.parse(request));
      const places = await Promise.all(named.map((place) => locatePath(resolve('/FOLDER'), place)));
      const { isAllowed, why } = decide({ kind, places }, STRICT);
      const expected = [decision, ALLOWED.includes(decision), log ?? request.title];
      assert.deepEqual([why.code, isAllowed, command ?? title], expected);
      const withCommands = decide({ kind, places }, { ...STRICT, mayRunCommands: true });
      assert.equal(withCommands.isAllowed, [...ALLOWED, ...BY_SETTING].includes(decision));
    });
  }

  it('is not judged by what another request with its id said', () => {
    const calls = new ToolCalls();
    calls.ask({ toolCallId: '1', kind: 'read', locations: [{ path: 'docs/a.md' }], rawInput: undefined });
    const { kind, places } = calls.ask({ toolCallId: '1', rawInput: undefined });
    assert.deepEqual({ kind, places }, { kind: 'other', places: [] });
  });
});

describe('decide', () => {
  const inside = (path: string): PathLocation => ({ kind: 'inside', path });
  const page = inside('docs/a.md');
  const cases: [string, PathLocation[], string, Partial<typeof STRICT>?][] = [
    ['search', [inside('')], 'insideFolder'],
    ['delete', [page], 'insideFolder'],
    ['move', [page, inside('docs/b.md')], 'insideFolder'],
    ['move', [page, { kind: 'outside' }], 'outsideFolder'],
    ['edit', [page, { kind: 'git' }], 'inGitDirectory'],
    ['read', [{ kind: 'git' }], 'inGitDirectory'],
    ['edit', [page, { kind: 'unclear' }], 'unclearWhere'],
    ['edit', [], 'unclearWhere'],
    ['delete', [inside('')], 'wholeFolder'],
    ['think', [page], 'unclearWhat'],
    ['other', [page], 'unclearWhat'],
    ['', [page], 'unclearWhat'],
    ['other', [{ kind: 'outside' }], 'outsideFolder', { mayRunCommands: true }],
    ['edit', [inside('AGENTS.md')], 'insideFolder'],
    ['edit', [inside('.github/workflows/ci.yml')], 'insideFolder'],
    ['edit', [inside('.claude/settings.json')], 'changesAgentSettings', { mayRunCommands: true }],
    ['edit', [inside('.claude')], 'changesAgentSettings'],
    ['delete', [inside('site/.mcp.json')], 'changesAgentSettings'],
    ['edit', [inside('.github')], 'changesAgentSettings'],
    ['edit', [inside('.claude/settings.json')], 'insideFolder', { mayWriteSettings: true }],
    ['read', [inside('.claude/settings.json')], 'insideFolder'],
  ];
  for (const [kind, places, expected, settings] of cases) {
    it(`answers ${kind} of ${JSON.stringify(places)} by ${expected}`, () => {
      const { isAllowed, why } = decide({ kind, places }, { ...STRICT, ...settings });
      assert.deepEqual([why.code, isAllowed], [expected, expected === 'insideFolder']);
    });
  }

  it('never chooses an option that allows more than this call', () => {
    const chosen = (isAllowed: boolean, ...kinds: string[]) =>
      optionFor(
        kinds.map((kind) => ({ optionId: kind, kind })),
        isAllowed,
      )?.kind;
    assert.equal(chosen(true, 'allow_always', 'reject_once', 'allow_once'), 'allow_once');
    assert.equal(chosen(true, 'allow_always', 'reject_once'), undefined);
    assert.equal(chosen(false, 'allow_once', 'reject_always', 'reject_once'), 'reject_once');
    assert.equal(chosen(false, 'allow_once', 'reject_always'), 'reject_always');
  });
});
