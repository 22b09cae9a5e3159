import fc from 'fast-check';
import type { ServiceLocation, JobEvent, FailureReason, Snapshot } from '../../../../src/jobs/events';

/** Any text that a person or a service may provide, including lone surrogates and line separators. */
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('', '\u2028', '\ud800', '"\\\n'));
const maybeText = fc.option(text);
const at = fc.integer({ min: 0, max: 8_640_000_000_000_000 });
const promptId = fc.stringMatching(/^[a-z0-9]{16}$/);
const attempt = fc.nat();

/** An arbitrary for records with a normal prototype, like parsed JSON. */
function plain<T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> {
  return fc.record(fields, { noNullPrototype: true });
}

const home: fc.Arbitrary<ServiceLocation> = fc.record(
  { service: text, projectId: text, baseUrl: text, projectName: text },
  { noNullPrototype: true, requiredKeys: ['service', 'projectId'] },
);

const job: fc.Arbitrary<Snapshot> = fc.record(
  {
    id: text,
    status: text,
    // A blank link is read as null.
    prLink: maybeText.map((link) => (link?.trim() === '' ? null : link)),
    ref: maybeText,
    repository: maybeText,
    model: maybeText,
    createdAt: maybeText,
    error: maybeText,
    note: text,
    turn: fc.nat(),
    stopped: fc.constant(true),
  },
  {
    noNullPrototype: true,
    requiredKeys: ['id', 'status', 'prLink', 'ref', 'repository', 'model', 'createdAt', 'error'],
  },
);

const reason: fc.Arbitrary<FailureReason> = fc.record(
  {
    kind: fc.constantFrom(
      'unauthorized',
      'forbidden',
      'notFound',
      'rejected',
      'limit',
      'unreachable',
      'timeout',
      'notUnderstood',
      'aborted',
    ),
    status: fc.integer({ min: 100, max: 599 }),
    code: text,
    detail: text,
    until: at,
  },
  { noNullPrototype: true, requiredKeys: ['kind'] },
);

type Kind = JobEvent['type'];

/** One arbitrary per event type; the compiler reports a missing one when a type is added. */
export const eventsByType: Record<Kind, fc.Arbitrary<JobEvent>> = {
  send: fc.record(
    {
      type: fc.constant('send'),
      at,
      promptId,
      kind: fc.constantFrom('create', 'followUp'),
      text,
      home,
      replaces: promptId,
      afterRun: fc.constant(true),
    },
    { noNullPrototype: true, requiredKeys: ['type', 'at', 'promptId', 'kind', 'text', 'home'] },
  ),
  created: fc.record(
    { type: fc.constant('created'), at, promptId, job, home },
    { noNullPrototype: true, requiredKeys: ['type', 'at', 'promptId', 'job'] },
  ),
  rejected: plain({ type: fc.constant('rejected'), at, promptId, attempt, reason }),
  needsKey: plain({ type: fc.constant('needsKey'), at, promptId, attempt, reason }),
  notSent: plain({ type: fc.constant('notSent'), at, promptId, attempt, reason }),
  throttled: plain({ type: fc.constant('throttled'), at, promptId, attempt, reason }),
  unconfirmed: plain({ type: fc.constant('unconfirmed'), at, promptId, attempt, reason }),
  discarded: plain({ type: fc.constant('discarded'), at, promptId }),
  tracked: plain({ type: fc.constant('tracked'), at, home, job }),
  changed: plain({ type: fc.constant('changed'), at, run: text, job, end: fc.boolean() }),
  resumed: plain({ type: fc.constant('resumed'), at, run: text, job, end: fc.boolean() }),
  renamed: plain({ type: fc.constant('renamed'), at, title: text }),
  pinned: plain({ type: fc.constant('pinned'), at }),
  unpinned: plain({ type: fc.constant('unpinned'), at }),
  seen: plain({ type: fc.constant('seen'), at }),
  untracked: plain({ type: fc.constant('untracked'), at }),
  restored: plain({ type: fc.constant('restored'), at }),
};
