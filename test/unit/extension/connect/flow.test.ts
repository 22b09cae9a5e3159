import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  back,
  begin,
  type Draft,
  type Facts,
  failed,
  type Flow,
  hostedOf,
  keep,
  keepUnchecked,
  keyOf,
  next,
  projectOf,
  retry,
  scopeOf,
  stepsOf,
} from '../../../../src/extension/features/connect/flow';

const HOME = 'https://api.mintlify.com';
const OTHER = 'https://agents.example';

function factsWith(change: Partial<Facts> = {}): Facts {
  return {
    address: HOME,
    folders: [{ id: 'file:///a', name: 'a', project: '', scopes: ['folder', 'user'] }],
    storedKeys: new Set<string>(),
    ...change,
  };
}

const TWO_FOLDERS = factsWith({
  folders: [
    { id: 'file:///a', name: 'a', project: '', scopes: ['folder', 'workspace', 'user'] },
    { id: 'file:///b', name: 'b', project: 'docs-b', scopes: ['folder'] },
  ],
});

/** Applies the answers one by one until the check, or until none is left. */
function walk(facts: Facts, ...answers: Partial<Draft>[]): { flow: Flow; steps: string[] } {
  let flow = begin();
  const steps: string[] = [flow.step];
  for (const answer of answers) {
    flow = keep(flow, answer);
    const to = next(flow, facts);
    steps.push(to === 'check' ? 'check' : to.step);
    flow = to === 'check' ? flow : to;
  }
  return { flow, steps };
}

const key = (value: string, origin = HOME): Partial<Draft> => ({ keys: { [origin]: value } });
const project = (value: string, folder = 'file:///a'): Partial<Draft> => ({ projects: { [folder]: value } });

describe('connection setup steps', () => {
  it('are service, project, scope, key and check for the hosted service', () => {
    const { steps } = walk(factsWith(), { service: 'hosted' }, project('docs'), { scope: 'folder' }, key('mint_abc'));
    deepStrictEqual(steps, ['service', 'project', 'scope', 'key', 'check']);
  });

  it('ask for an address only when the user chooses another one', () => {
    strictEqual(walk(factsWith(), { service: 'other' }).flow.step, 'address');
  });

  it('ask for the folder when several are open, and skip the scope for an unchanged project', () => {
    const { steps, flow } = walk(TWO_FOLDERS, { service: 'hosted' }, { folder: 'file:///b' }, {}, key('mint_abc'));
    deepStrictEqual(steps, ['service', 'folder', 'project', 'key', 'check']);
    strictEqual(scopeOf(flow.draft, TWO_FOLDERS), undefined);
    strictEqual(projectOf(flow.draft, TWO_FOLDERS), 'docs-b');
  });

  it('choose the scope without asking when only one is possible', () => {
    const { steps, flow } = walk(
      TWO_FOLDERS,
      { service: 'hosted' },
      { folder: 'file:///b' },
      project('x', 'file:///b'),
    );
    deepStrictEqual(steps, ['service', 'folder', 'project', 'key']);
    strictEqual(scopeOf(flow.draft, TWO_FOLDERS), 'folder');
  });

  it('are service, agent and check for the local service, or the obstacle that blocks it', () => {
    deepStrictEqual(walk(factsWith(), { service: 'local' }, { agent: 'claude' }).steps, ['service', 'agent', 'check']);
    const blocked = factsWith({ blocked: { step: 'obstacle', obstacle: 'noFolder', text: 'no folder' } });
    strictEqual(walk(blocked, { service: 'local' }).flow.step, 'obstacle');
  });
});

describe('failed connection check', () => {
  const facts = factsWith();
  const ready = walk(facts, { service: 'hosted' }, project('docs'), { scope: 'user' }, key('mint_wrong')).flow;

  it('returns to the step that can fix it, and from there to the check', () => {
    const flow = failed(ready, { step: 'key', text: 'rejected' }, facts);
    strictEqual(flow.step, 'key');
    strictEqual(keyOf(flow.draft, facts), 'mint_wrong');
    strictEqual(next(keep(flow, key('mint_right')), facts), 'check');
  });

  it('asks for the key of a changed address', () => {
    const flow = failed(ready, { step: 'address', text: 'no answer' }, facts);
    strictEqual(flow.draft.address, HOME);
    strictEqual(next(flow, facts), 'check', 'the same address once more');
    const elsewhere = next(keep(flow, { address: OTHER }), facts);
    ok(elsewhere !== 'check');
    strictEqual(elsewhere.step, 'key');
    strictEqual(keyOf(elsewhere.draft, facts), undefined, 'a key stays with the service it was typed for');
  });

  it('lets the user keep an unchecked answer, but still asks for the steps that it requires', () => {
    const onAddress = failed(ready, { step: 'address', text: 'no answer', canKeep: true }, facts);
    strictEqual(next(keepUnchecked(onAddress), facts), 'check', 'the address that was checked');
    const forKey = next(keepUnchecked(keep(onAddress, { address: OTHER })), facts);
    ok(forKey !== 'check');
    deepStrictEqual([forKey.step, forKey.unchecked], ['key', true]);
    strictEqual(next(keep(forKey, key('mint_other', OTHER)), facts), 'check');
    strictEqual(back(forKey, facts).unchecked, undefined, 'who goes back is led to the check');

    const placed = factsWith({ folders: [{ id: 'file:///a', name: 'a', project: 'old', scopes: ['folder', 'user'] }] });
    const unplaced = walk(placed, { service: 'hosted' }, {}, key('mint_abc')).flow;
    const onProject = failed(unplaced, { step: 'project', text: 'not found', canKeep: true }, placed);
    const forScope = next(keepUnchecked(keep(onProject, project('new'))), placed);
    deepStrictEqual(forScope === 'check' ? forScope : [forScope.step, forScope.unchecked], ['scope', true]);
  });

  it('leads through the steps one by one again after going back', () => {
    const flow = back(failed(ready, { step: 'key', text: 'rejected' }, facts), facts);
    strictEqual(flow.step, 'scope');
    const to = next(flow, facts);
    strictEqual(to === 'check' ? to : to.step, 'key');
  });

  it('waits at the obstacle until it is resolved for the local service', () => {
    const flow = failed(
      keep(begin(), { service: 'local', agent: 'auto' }),
      { step: 'obstacle', text: 'no git' },
      facts,
    );
    deepStrictEqual(stepsOf(flow, facts), ['service', 'agent', 'obstacle']);
    strictEqual(back(flow, facts).step, 'agent');
    strictEqual(retry(flow, facts), 'check');
  });
});

const folders = ['file:///a', 'file:///b'];
const answer = fc.oneof(
  fc.record({ kind: fc.constant('service' as const), value: fc.constantFrom('hosted', 'other', 'local') }),
  fc.record({ kind: fc.constant('address' as const), value: fc.constantFrom(OTHER, `${HOME}/v9`, 'nonsense', '') }),
  fc.record({ kind: fc.constant('folder' as const), value: fc.constantFrom(...folders) }),
  fc.record({ kind: fc.constant('project' as const), value: fc.constantFrom('docs', 'docs-b', 'two words', '') }),
  fc.record({ kind: fc.constant('scope' as const), value: fc.constantFrom('folder', 'workspace', 'user') }),
  fc.record({ kind: fc.constant('key' as const), value: fc.constantFrom('mint_a', 'mint_us_b', '') }),
);
const move = fc.record({ answer, way: fc.constantFrom('next', 'next', 'back', 'failKey', 'failAddress') });

/** Stores an answer in the draft the way the input boxes do. */
function answered(flow: Flow, { kind, value }: { kind: string; value: string }): Flow {
  const { draft } = flow;
  if (kind !== flow.step) {
    return flow;
  }
  const origin = hostedOf(draft, TWO_FOLDERS)?.origin ?? '';
  switch (kind) {
    case 'project':
      return keep(flow, { projects: { ...draft.projects, [draft.folder ?? 'file:///a']: value } });
    case 'key':
      return keep(flow, { keys: { ...draft.keys, [origin]: value } });
    default:
      return keep(flow, { [kind]: value });
  }
}

describe('connection setup navigation', () => {
  it('keeps all input, gives no key to another service, and always reaches an end', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
        let flow = begin();
        const typed = new Map<string, string>();
        for (const { answer: given, way } of moves) {
          const before = flow;
          flow = answered(flow, given);
          if (flow !== before && (given.kind === 'key' || given.kind === 'project')) {
            const place = given.kind === 'key' ? hostedOf(flow.draft, TWO_FOLDERS)?.origin : flow.draft.folder;
            typed.set(`${given.kind} ${place ?? (given.kind === 'key' ? '' : 'file:///a')}`, given.value);
          }
          flow = walked(flow, way);
          for (const [name, value] of typed) {
            const [kind = '', place = ''] = name.split(' ');
            strictEqual((kind === 'key' ? flow.draft.keys : flow.draft.projects)[place], value, name);
          }
          const origin = hostedOf(flow.draft, TWO_FOLDERS)?.origin;
          strictEqual(keyOf(flow.draft, TWO_FOLDERS) ?? '', typed.get(`key ${origin ?? '-'}`) ?? '');
          ok(stepsOf(flow, TWO_FOLDERS).includes(flow.step), flow.step);
        }
        let steps = 0;
        for (let to: Flow | 'check' = flow; to !== 'check'; to = next(to, TWO_FOLDERS)) {
          ok(++steps < 10, 'an end is reached by going on');
        }
        for (steps = 0; flow.step !== 'service'; flow = back(flow, TWO_FOLDERS)) {
          ok(++steps < 10, 'the beginning is reached by going back');
        }
      }),
    );
  });
});

function walked(flow: Flow, way: string): Flow {
  if (way === 'back') {
    return back(flow, TWO_FOLDERS);
  }
  if (way !== 'next') {
    const isLocal = flow.draft.service === 'local';
    const step = way === 'failKey' ? 'key' : 'address';
    return isLocal ? flow : failed(flow, { step, text: 'no' }, TWO_FOLDERS);
  }
  const to = next(flow, TWO_FOLDERS);
  return to === 'check' ? flow : to;
}
