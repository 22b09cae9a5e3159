import type {
  ActivityStep,
  Entry,
  FileDiff,
  PageModel,
  PageLabels,
  Paragraph,
} from '../../../src/extension/features/job-page/model';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The start of the sample job. The page is shown 9 minutes into its third run. */
export const SAMPLE_START = new Date(2026, 10, 19, 14, 2, 10).getTime();
export const SAMPLE_NOW = SAMPLE_START + 50 * HOUR + 9 * MINUTE;

export const SAMPLE_WORDS: PageLabels = {
  history: 'History',
  activity: 'Agent activity',
  plan: 'Plan',
  summary: 'Agent’s summary',
  latest: 'Latest from the agent',
  changes: 'What changed',
  details: 'Details',
  reviewAll: 'Review Changes',
  newChanges: 'Show New Changes',
  summaryOf: 'Agent’s summary of run {0}',
  changesOfAll: 'What changed in all runs',
  followUp: 'Follow-up',
  prompt: 'Prompt',
  showAll: 'Show All',
  showLess: 'Show less',
  sending: 'Sending…',
  binary: 'binary',
  before: 'Before',
  after: 'After',
  noPicture: 'No preview.',
  noText: 'Only spaces and line breaks changed.',
  turn: 'Run {0}',
  oneEarlier: '1 earlier step hidden',
  earlier: '{0} earlier steps hidden',
  oneFile: '1 file',
  files: '{0} files',
  oneMoreFile: '1 more file',
  moreFiles: '{0} more files',
  showOneParagraph: 'Show 1 changed paragraph',
  showParagraphs: 'Show {0} changed paragraphs',
  moreText: 'There are more changes than can be shown here.',
  renamed: 'renamed from {0}',
  stepStates: { pending: 'to do', in_progress: 'in progress', completed: 'done' },
  fileKinds: { added: 'added', changed: 'changed', deleted: 'deleted', renamed: 'renamed' },
  emptyPrompt: 'Write what the agent is to do next.',
  askToFix: 'Ask the Agent to Fix…',
};

const PROMPT = `Bring the rate limit guide up to date.

- Say that the limit is 100 uses an hour for each project.
- Requests are retried three times, with back-off.
- Explain what Retry-After does.
- Add an example in curl, and one in TypeScript.
- Mention the budget of follow-ups.
- Keep the tone of the page.`;

const at = (minutes: number): number => SAMPLE_START + minutes * MINUTE;

const history: Entry[] = [
  { id: 'prompt', at: at(0), kind: 'prompt', tone: 'plain', title: 'Prompt', text: PROMPT },
  {
    ...{ id: 'run 1', at: at(15), kind: 'pullRequest', tone: 'good', title: 'Pull request ready', note: '13 min' },
    text: 'acme/handbook#42',
  },
  {
    ...{ id: 'follow 1', at: at(21), kind: 'followUp', tone: 'plain', title: 'Follow-up' },
    text: 'Please use British spelling.',
  },
  {
    ...{ id: 'run 2', at: at(28), kind: 'state', tone: 'bad', title: 'Failed', note: '7 min' },
    text: 'The agent could not push its branch.',
  },
  {
    ...{ id: 'follow 2', at: at(3000), kind: 'followUp', tone: 'plain', title: 'Follow-up' },
    text: 'Try again, the branch is free now.',
  },
  { id: 'run 3', at: at(3000), kind: 'state', tone: 'running', title: 'In progress' },
  {
    ...{ id: 'follow 3', at: at(3006), kind: 'followUp', tone: 'warning', title: 'Follow-up', note: 'queued' },
    why: 'It’s sent automatically when the current run finishes.',
    text: 'Then add it to the table of contents.',
    actions: [
      { id: 'sendNow', label: 'Send Now' },
      { id: 'edit', label: 'Edit' },
      { id: 'discard', label: 'Discard' },
    ],
  },
];

const step = (
  id: number,
  kind: ActivityStep['kind'],
  text: string,
  more: Partial<ActivityStep> = {},
): ActivityStep => ({
  ...{ id, at: at(3000) + id * 20_000, kind, tone: 'plain', text, files: [] },
  ...more,
});

export const SAMPLE_STEPS: readonly ActivityStep[] = [
  step(2, 'note', 'The agent runs without confinement on this machine.', { tone: 'warning' }),
  step(3, 'message', 'I read the guide first, and then what the service says of its limits.'),
  step(4, 'tool', 'Read files', { tone: 'good', files: ['docs/guides/rate-limits.mdx', 'src/limits.ts'] }),
  step(5, 'tool', 'Search “Retry-After”', { tone: 'good' }),
  step(6, 'permission', 'Allowed: write into docs', { tone: 'good' }),
  step(7, 'tool', 'Edit', { tone: 'good', files: ['docs/guides/rate-limits.mdx'] }),
  step(8, 'tool', 'Run npm test', { tone: 'bad' }),
  step(10, 'tool', 'Edit', { tone: 'running', files: ['docs/guides/rate-limits.mdx', 'docs/docs.json'] }),
];

/** A job in its third run, two days after the second. */
export function samplePage(more: Partial<PageModel> = {}): PageModel {
  return {
    words: SAMPLE_WORDS,
    title: 'Bring the rate limit guide up to date',
    state: { text: 'Running for 9 min', tone: 'running', notes: ['Last checked 20 seconds ago.'] },
    facts: [
      { label: 'Project', text: 'acme-docs' },
      { label: 'Branch', text: 'docs-agent/rate-limits' },
      { label: 'Pull request', text: 'acme/handbook#42', action: 'openPullRequest' },
      { label: 'Job', text: 'job_01J9Z6', action: 'copyJobId' },
    ],
    actions: [
      { id: 'openPullRequest', label: 'Open Pull Request', isPrimary: true },
      { id: 'mergeJob', label: 'Merge…' },
      { id: 'more', label: 'More…' },
    ],
    moreActions: [
      { id: 'openChanges', label: 'Review Changes' },
      { id: 'cancel', label: 'Cancel job' },
    ],
    history,
    activity: {
      isLive: true,
      run: 3,
      summary: step(9, 'message', 'A link was broken.\n\nI mend it now:\n  1. the anchor\n  2. the table'),
      plan: [
        { text: 'Read the guide and the code', state: 'completed' },
        { text: 'Write the section on limits', state: 'in_progress' },
        { text: 'Check links and examples', state: 'pending' },
      ],
      turns: [{ turn: 3, steps: SAMPLE_STEPS }],
      earlier: 2,
    },
    changes: {
      files: [
        { path: 'docs/guides/rate-limits.mdx', kind: 'changed', added: 48, deleted: 12 },
        { path: 'docs/guides/retries.mdx', kind: 'added', added: 31, deleted: 0 },
        { path: 'docs/guides/limits-old.mdx', kind: 'deleted', added: 0, deleted: 20 },
        { path: 'docs/api/errors.mdx', from: 'docs/errors.mdx', kind: 'renamed', added: 2, deleted: 2 },
        { path: 'docs/images/limits.png', kind: 'added' },
      ],
      more: 0,
      added: 81,
      deleted: 34,
      canOpen: true,
      reviewAll: 'openChanges',
    },
    check: {
      title: '3 problems in the added lines',
      findings: [
        { place: 'docs/guides/rate-limits.mdx:14', text: '“--retry-budget” was not found in the code.' },
        { place: 'docs/guides/rate-limits.mdx:31', text: 'The link “./errors.mdx#limits” doesn’t lead to a file.' },
      ],
      more: '… and 1 more',
      notChecked: 'The clone is shallow, so its history wasn’t searched.',
      request: 'A check of the lines that you added found 3 problems.',
    },
    followUp: {
      effects: ['Stops the current run and starts a new one with this.'],
      placeholder: 'What should the agent change or add?',
      send: 'Send Now',
      sendLater: 'Send After This Run',
    },
    ...more,
  };
}

/** A picture of one pixel. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** What changed in the files of the sample page. */
export const SAMPLE_DIFF: readonly FileDiff[] = [
  {
    path: 'docs/guides/rate-limits.mdx',
    isCut: true,
    paragraphs: [
      [
        { kind: 'unchanged', text: 'Each project may send ' },
        { kind: 'deleted', text: 'fifty' },
        { kind: 'inserted', text: 'a hundred' },
        { kind: 'unchanged', text: ' requests an hour. A request that fails is tried again ' },
        { kind: 'inserted', text: 'three times, ' },
        { kind: 'unchanged', text: 'after the time that `Retry-After` names.' },
      ],
      [{ kind: 'deleted', text: 'Limits may change without notice.' }],
      ...Array.from({ length: 20 }, (_, index): Paragraph => [
        { kind: 'inserted', text: `Paragraph ${index + 1} is new.\nIt has two lines.` },
      ]),
    ],
  },
  { path: 'docs/guides/retries.mdx', isCut: false, paragraphs: [[{ kind: 'inserted', text: '# Retries' }]] },
  { path: 'docs/api/errors.mdx', isCut: false, paragraphs: [] },
  { path: 'docs/images/limits.png', isCut: false, paragraphs: [], isImage: true, after: PIXEL },
];
