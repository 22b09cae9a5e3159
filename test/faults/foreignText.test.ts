import { match, strictEqual } from 'node:assert/strict';
import { Redactor } from '../../src/base/redact';
import { createWordDiff } from '../../src/base/wordDiff';
import { readEvents } from '../../src/client/events';
import type { Transport } from '../../src/client/transport';
import { changedParagraphs } from '../../src/base/changedParagraphs';
import { EXTENSION_ID } from '../../src/extension/ids';
import { gitErrorText } from '../../src/extension/platform/branchToFetch';
import { parseJobLink } from '../../src/extension/platform/jobLink';
import { fittingPrompt } from '../../src/extension/features/pull-requests/addressComments';
import { copiedLink, safeLink } from '../../src/extension/platform/pullRequestLink';
import { toLabel, toLogLines, toQuestion, toTooltip } from '../../src/extension/platform/sanitize';
import { parseBaseUrl } from '../../src/extension/platform/baseUrl';
import { SummaryReader } from '../../src/git/diff';
import { LOCAL_SERVICE } from '../../src/jobs/events';
import { PatchReader } from '../../src/git/patch';
import { DIFF_LIMITS } from '../../src/protocol/changes';
import { toGitError } from '../../src/git/errors';
import { remoteAddress } from '../../src/git/remotes';
import { AcpActivityLog } from '../../src/local-service/agents/acpActivityLog';
import { OutputTail } from '../../src/local-service/agents/outputTail';
import { ToolCalls } from '../../src/local-service/agents/toolCalls';
import { printedLink } from '../../src/local-service/forges/branchPush';
import { checkBlock, withCheck, pullRequestBody } from '../../src/local-service/forges/pullRequestText';
import { sanitize } from '../../src/local-service/text';
import { commitMessage } from '../../src/local-service/git/jobBranch';
import { RemoteReferences, pushFailure } from '../../src/local-service/git/pushBranch';
import { toChangedFiles } from '../../src/local-service/review/changedWords';
import { changesText, patchesIn } from '../../src/prompt/changesText';
import { renderBlock } from '../../src/prompt/contextBlock';
import { followLines } from '../../src/prompt/followLines';
import { pageTitle } from '../../src/prompt/blocks';
import { fillTemplate, variablesOf } from '../../src/prompt/promptTemplate';
import { promptText, withoutLocalPaths } from '../../src/prompt/promptText';
import { commentBlock, findRemainingBlocks, relocate, renderReviewComments } from '../../src/prompt/reviewComments';
import { detectKeys } from '../../src/prompt/secrets/detectKeys';
import { detectLikely } from '../../src/prompt/secrets/detectLikely';
import { findSecrets, ownDetectors } from '../../src/prompt/secrets/findSecrets';
import { ruleDetectors } from '../../src/prompt/secrets/ruleDetectors';
import type { Secret } from '../../src/prompt/secrets/secret';
import { parseErrorBody } from '../../src/client/answer';
import { type Row, slowness } from '../support/slowTexts';

const redactor = new Redactor();
redactor.add('mint_a-key-of-a-test/with+signs');
const allDetectors = [...ownDetectors(redactor), ...ruleDetectors()];
const target = { path: 'a', side: 'new', from: 1, to: 1, quoted: 'a', languageId: 'js', outdated: false } as const;
const comment = { ...target, text: 'Text' };

const NO_MORE = { files: 0, added: 0, deleted: 0 };
const CHANGED = { path: 'a', status: 'M', added: 1, deleted: 1 };

/**
 * Where long text from an untrusted source enters, and what works on the whole of it, by name. Lint finds slow patterns
 * elsewhere.
 */
const ROWS: Readonly<Record<string, Row | Row['run']>> = {
  // What a service sends.
  redact: (text) => redactor.redact(text),
  parseErrorBody,
  'parseErrorBody of JSON': {
    // Both texts together, with each character escaped, are just short enough to be parsed.
    bound: 5_400,
    run: (text) => parseErrorBody(JSON.stringify({ error: text, details: [{ message: text }] })),
  },
  safeLink: { begins: ['', 'https://h/', 'http://127.0.0.1/'], run: (text) => [safeLink(text), copiedLink(text)] },
  toLabel: (text) => toLabel(text),
  toQuestion: (text) => toQuestion(text),
  detectLikely: { begins: ['', 'password = ', 'eyJ'], run: detectLikely },
  toTooltip,
  toLogLines,
  // What a user pastes, or the editor is asked to open.
  parseJobLink: { begins: ['', `vscode://${EXTENSION_ID}/job?`], run: parseJobLink },
  parseBaseUrl: { begins: ['', 'https://h/'], run: parseBaseUrl },
  promptText,
  // What a repository contains.
  remoteAddress: { begins: ['', 'https://h/', 'git@h:'], run: (text) => remoteAddress(text, '/base') },
  SummaryReader: {
    begins: ['', '1\t1\t', ':100644 100644 a b M\0'],
    run: (text) => inChunks(text, new SummaryReader(), 64),
  },
  changesText: {
    bound: 1_000_000,
    begins: ['', 'diff --git a/a b/a\n', 'diff --git a/a b/a\n@@ -1 +1 @@\n'],
    run: (text) => changesText({ files: [CHANGED], more: NO_MORE, patches: patchesIn(text, [CHANGED]) }),
  },
  withCheck: { begins: ['', `${checkBlock('a')}\n`, '[docs-agent-check]: # ('], run: (text) => withCheck(text, 'b') },
  renderBlock: (text) => renderBlock({ heading: text, notes: [text], languageId: text, text }),
  withoutLocalPaths: (text) => withoutLocalPaths(text, [{ path: '/home/user/docs', name: 'docs' }], '/home/user'),
  relocate: (text) => relocate(text.slice(0, text.length / 2), 5, `x\n${text}`),
  pageTitle: { begins: ['', '---\ntitle: ', '---\n', '# ', 'a\n'], run: pageTitle },
  variablesOf: { bound: 64 * 1024, begins: ['', '$ask{', '\\$'], run: variablesOf },
  'fillTemplate of a repository': {
    bound: 64 * 1024,
    begins: ['', '$ask{', '$file'],
    run: (text) => fillTemplate(text + '$selection'.repeat(text.length / 10), { selection: text.slice(0, 100) }),
  },
  detectKeys: { begins: ['', '-----BEGIN PRIVATE KEY-----\n', '-----BEGIN PRIVATE KEY----- "a'], run: detectKeys },
  findSecrets: { bound: 100_000, run: (text) => findSecrets(text, allDetectors) },
  'findSecrets, of many values': { bound: 50_000, run: (text) => findSecrets(numbered(text), [partsOf]) },
  'toGitError of a foreign repository': {
    begins: ['', 'fatal: detected dubious ownership\n', '\tgit config --global --add safe.directory '],
    run: (text) => toGitError(Object.assign(new Error(), { code: 128 }), '', `${text}\ndubious ownership`, '/'),
  },
  gitErrorText: { begins: ['', 'fatal: '], run: (text) => gitErrorText({ stderr: text }) },
  'fittingPrompt, of as many review comments as are read': {
    bound: 5_000,
    run: (text) => {
      const thread = { path: 'a', line: 1, isOutdated: false, comments: [{ author: 'a', text: `.${text}.` }] };
      return fittingPrompt(
        { location: { service: LOCAL_SERVICE, projectId: 'p' } },
        'https://x',
        Array(100).fill(thread),
      );
    },
  },
  // What an agent prints or sends.
  'OutputTail.lastLines': (text) => tailOf(text).lastLines(3),
  'AcpActivityLog, of a message in pieces': (text) =>
    activityOf(
      Array.from({ length: 100 }, (_, at) => ({
        sessionUpdate: 'agent_message_chunk',
        content: { text: text.slice(at * 2_500, (at + 1) * 2_500) },
      })),
    ),
  'AcpActivityLog, of a tool call': (text) =>
    activityOf([
      { sessionUpdate: 'plan', entries: [{ content: text }] },
      { sessionUpdate: 'tool_call', toolCallId: 'a', title: text, kind: text, locations: [{ path: text }] },
    ]),
  // Other work gets its turn after as much.
  readEvents: {
    bound: 16_384,
    run: async (text) => {
      const body = ReadableStream.from([Buffer.from(text)]);
      const open = async () => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, body });
      const request = { method: 'GET', url: '', headers: {} } as const;
      for await (const _ of readEvents({ open } as unknown as Transport, request)) {
        // Only the time that it takes matters.
      }
    },
  },
  'ToolCalls.update': (text) =>
    new ToolCalls({ fileTools: /^/ }).update({
      toolCallId: 'a',
      title: text,
      kind: text,
      status: text,
      rawInput: { path: text, command: text, input: text },
    }),
  'commitMessage of a prompt': { bound: 1_000_000, run: (text) => commitMessage(text, 'id') },
  'pullRequestBody of a summary': (text) => pullRequestBody('Prompt', text, 'id'),
  // What a Git host sends.
  sanitize: (text) => sanitize(text, ['a-token-of-a-test']),
  'pushFailure of git’s words': {
    begins: ['', 'remote: ', "fatal: repository '"],
    run: (text) => pushFailure('', text, []),
  },
  'pushFailure of the status of a branch': {
    begins: ['', '!\trefs/heads/a:refs/heads/a\t[remote rejected] ('],
    run: (text) => pushFailure(text, text, ['a-token-of-a-test']),
  },
  printedLink: { begins: ['', 'remote: https://h/a/b/pull/'], run: (text) => printedLink(text, 'https://h/a/b') },
  'RemoteReferences of one commit': (text) => new RemoteReferences(text.replaceAll('a', 'a\t')).namesOf('a'),
  // What a browser or a client of the service sends.
  // What is shown for review, and the comments on it.
  'the word diff of a text that was changed in the middle': (text) =>
    createWordDiff()(`${text}a${text}`, `${text}b${text}`),
  'the word diff of paragraphs': (text) => {
    const diffWords = createWordDiff();
    return (text.match(/[^]{1,500}/g) ?? []).map((part, index) =>
      diffWords(`${index} ${part}`, part.replaceAll('a', 'b')),
    );
  },
  'changedParagraphs of a changed file': {
    bound: 40_000,
    begins: ['', '@@ -1 +1 @@\n-', '@@ -1 +1 @@\n+'],
    run: (text) => [true, false].map((isProse) => changedParagraphs(text, { diffWords: createWordDiff(), isProse })),
  },
  'PatchReader of a long output': (text) => inChunks(text, new PatchReader(DIFF_LIMITS, [])).end(),
  'the word diff of texts with no word in common': {
    bound: 30_000,
    run: (text) => createWordDiff()(text, numbered(text)),
  },
  toChangedFiles: { begins: ['', 'diff --git a/a b/a\n@@ -1 +1 @@\n'], run: (text) => toChangedFiles(text, [CHANGED]) },
  'reviewComments of the editor, of lines': (quoted) => renderReviewComments([{ ...comment, quoted }]),
  'reviewComments of the editor, of a comment': (text) => renderReviewComments([{ ...comment, text }]),
  'followLines into a long file': { bound: 2_500_000, run: (text) => followLines('a', 1, text, text) },
  'heldBlocks in a prompt': (text) =>
    findRemainingBlocks(text, [commentBlock(comment), commentBlock({ ...comment, path: text.slice(0, 4_096) })]),
};

/** Text that arrives in chunks, as a program prints it. */
function inChunks<T extends { push(text: string): void }>(text: string, reader: T, size = 65_536): T {
  for (let at = 0; at < text.length; at += size) {
    reader.push(text.slice(at, at + size));
  }
  return reader;
}

/** Each part is different. */
function numbered(text: string): string {
  return text.replaceAll(/[^]{12}/g, (part, at: number) => part + String(at).padStart(8, '0'));
}

function partsOf(text: string): Secret[] {
  return [...text.matchAll(/[^]{20}/g)].map(({ index }) => ({ kind: 'OWN', start: index, end: index + 20 }));
}

function tailOf(text: string): OutputTail {
  const tail = new OutputTail(64 * 1024);
  tail.add(Buffer.from(text));
  return tail;
}

function activityOf(updates: readonly unknown[]): string {
  const activity = new AcpActivityLog('/folder', new ToolCalls(), {
    onEntry: () => undefined,
    onUsage: () => undefined,
  });
  updates.forEach((update) => activity.apply(update));
  return activity.end();
}

describe('untrusted text crafted to be slow to process', function () {
  // Measures processor time, because wall time can be much longer on a busy machine.
  it('is detected where the time grows quadratically with the length', async () => {
    match((await slowness({ run: (text) => text.replace(/ +$/, '') })) ?? '', /^\["", ?" ",/);
  });

  for (const [name, row] of Object.entries(ROWS)) {
    it(`is processed quickly by ${name}`, async () => {
      strictEqual(await slowness(typeof row === 'function' ? { run: row } : row), undefined);
    });
  }
});
