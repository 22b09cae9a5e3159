import { match, strictEqual } from 'node:assert/strict';
import { systemClock } from '../../src/base/async';
import { startTimeInStat } from '../../src/base/process';
import { Redactor } from '../../src/base/redact';
import { dropInvisible, showInvisible } from '../../src/base/text';
import type { CheckedResult } from '../../src/checks/process/checkResult';
import { TokenStore } from '../../src/local-service/forges/credentials';
import { newBranchNames } from '../../src/local-service/git/branchName';
import { createWordDiff } from '../../src/base/wordDiff';
import { readEvents } from '../../src/client/eventStream';
import type { Transport } from '../../src/client/transport';
import { readGitTokens } from '../../src/team-service/gitTokens';
import { isHostOf } from '../../src/team-service/http/teamBinding';
import { KeyStore } from '../../src/team-service/store/keyStore';
import { parseRetryAfter } from '../../src/client/answer';
import { shownPrompt } from '../../src/extension/features/chat-tools/toolResult';
import { changedParagraphs } from '../../src/extension/features/job-page/changedParagraphs';
import { markdownTable } from '../../src/extension/features/jobs-view/exportJobs';
import { markdownLink } from '../../src/extension/features/jobs-view/jobCommands';
import { promptsWith } from '../../src/extension/features/prompt/box/promptHistory';
import { IgnoreRules } from '../../src/extension/features/prompt/context/ignoreRules';
import { EXTENSION_ID } from '../../src/extension/ids';
import { keyProblem } from '../../src/extension/platform/apiKeys';
import { gitErrorText } from '../../src/extension/platform/branchToFetch';
import { looksLikeJobLink, parseJobLink } from '../../src/extension/platform/jobLink';
import { fittingPrompt } from '../../src/extension/features/pull-requests/addressComments';
import { copiedLink, githubPullRequest, isPullRequestOf, safeLink } from '../../src/extension/platform/pullRequestLink';
import {
  firstLine,
  toBoxLine,
  toLabel,
  toLogLines,
  toNotice,
  toPickLabel,
  toQuestion,
  toText,
  toTooltip,
} from '../../src/extension/platform/sanitize';
import { parseBaseUrl } from '../../src/extension/platform/baseUrl';
import { SummaryReader } from '../../src/git/diff';
import { LOCAL_SERVICE } from '../../src/jobs/events';
import { PatchReader } from '../../src/git/patch';
import { DIFF_LIMITS } from '../../src/protocol/diff';
import { ownSettings } from '../../src/git/environment';
import { toGitError } from '../../src/git/errors';
import { isBranchName } from '../../src/git/git';
import { remoteAddress } from '../../src/git/remotes';
import { AcpActivityLog } from '../../src/local-service/agents/acpActivityLog';
import { isVersionLine } from '../../src/local-service/agents/harmlessText';
import { oneLine } from '../../src/local-service/agents/acpErrors';
import { OutputTail } from '../../src/local-service/agents/outputTail';
import { ToolCalls } from '../../src/local-service/agents/toolCalls';
import { toEnglish } from '../../src/local-service/codedText';
import { printedLink } from '../../src/local-service/forges/branchPush';
import {
  checkBlock,
  describeCheck,
  escapeCheckMark,
  withCheck,
} from '../../src/local-service/forges/checkInDescription';
import { safeLink as safeLinkOfHost } from '../../src/local-service/forges/forge';
import { toForgeFailure } from '../../src/local-service/forges/forgeErrors';
import { isPullRequestLink } from '../../src/local-service/forges/forges';
import { pullRequestBody, pullRequestTitle, sanitize } from '../../src/local-service/forges/pullRequestText';
import { isEscapingTarget } from '../../src/local-service/git/isEscapingLink';
import { commitMessage } from '../../src/local-service/git/commitMessage';
import { RemoteReferences } from '../../src/local-service/git/pushBranch';
import { pushFailure } from '../../src/local-service/git/pushFailure';
import { toPublicUrl } from '../../src/local-service/git/userRepository';
import { KeyRing } from '../../src/local-service/http/authentication';
import { ReviewAccess } from '../../src/local-service/http/reviewAccess';
import { GuidanceReader } from '../../src/local-service/jobs/guidance';
import { escapeHtml } from '../../src/local-service/review/html';
import { toChangedFiles } from '../../src/local-service/review/changedWords';
import { cutText, neutralizeMentions } from '../../src/local-service/text';
import { terminalText } from '../../src/prompt/blocks';
import { elide } from '../../src/prompt/budgets';
import { patchOf } from '../../src/prompt/changesText';
import { commentTrigger } from '../../src/prompt/commentTrigger';
import { contextWord, renderBlock, showControlCharacters } from '../../src/prompt/contextBlock';
import { followLines } from '../../src/prompt/followLines';
import { headingsOf, pageContext, pagesFolders } from '../../src/prompt/docsPage';
import { readFrontMatter } from '../../src/prompt/frontMatter';
import { fillTemplate, variablesOf } from '../../src/prompt/promptTemplate';
import { looksGarbled, promptText, withoutLocalPaths } from '../../src/prompt/promptText';
import { commentBlock, findRemainingBlocks, relocate, renderReviewComments } from '../../src/prompt/reviewComments';
import { detectKeys } from '../../src/prompt/secrets/detectKeys';
import { detectLikely } from '../../src/prompt/secrets/detectLikely';
import { findSecrets, ownDetectors } from '../../src/prompt/secrets/findSecrets';
import { ruleDetectors } from '../../src/prompt/secrets/ruleDetectors';
import type { Secret } from '../../src/prompt/secrets/secret';
import { coded } from '../../src/protocol/codedText';
import { parseErrorBody } from '../../src/protocol/errorBody';
import { isReviewLink } from '../../src/protocol/localKey';
import { isPathSafeId } from '../../src/protocol/status';
import { findSymbolsNamed } from '../support/findSymbolsNamed';
import { type Row, slowness } from '../support/slowTexts';

const redactor = new Redactor();
redactor.add('mint_a-key-of-a-test/with+signs');
const allDetectors = [...ownDetectors(redactor), ...ruleDetectors()];
const keyRing = new KeyRing([{ key: `local_${'0'.repeat(64)}` }]);
const reviewAccess = new ReviewAccess(systemClock);
const target = { path: 'a', side: 'new', from: 1, to: 1, quoted: 'a', languageId: 'js', outdated: false } as const;
const comment = { ...target, text: 'Text' };

const TEAM_URL = new URL('https://jobs.example');
const teamKeys = new KeyStore({ query: async () => [] });

/** Findings that consist of this text. */
function hostileCheck(text: string): CheckedResult {
  const place = { path: text, line: 1, column: 1, endColumn: 2 };
  const finding = { rule: 'invalid-code' as const, place, language: text, message: text };
  return { findings: [finding, finding], more: 0, coverage: { pages: 1, names: 1, notChecked: [] } };
}

const CHANGED = { path: 'a', status: 'M', added: 1, deleted: 1 };

/** Functions that receive text from an untrusted source, by name. Every function that takes such text belongs here. */
const ROWS: Readonly<Record<string, Row | Row['run']>> = {
  // What a service sends.
  redact: (text) => redactor.redact(text),
  redactDeep: (text) => redactor.redactDeep({ error: text }),
  'find of secrets': (text) => redactor.find(text),
  parseErrorBody,
  'parseErrorBody of JSON': {
    // Both texts together, with each character escaped, are just short enough to be parsed.
    bound: 5_400,
    run: (text) => parseErrorBody(JSON.stringify({ error: text, details: [{ message: text }] })),
  },
  parseRetryAfter: { bound: 16_000, run: (text) => parseRetryAfter(text, 0) },
  isPathSafeId,
  safeLink: { begins: ['', 'https://h/', 'http://127.0.0.1/'], run: (text) => [safeLink(text), copiedLink(text)] },
  isPullRequestOf: { begins: ['', 'https://h/'], run: (text) => isPullRequestOf(text, text) },
  githubPullRequest: { begins: ['https://github.com/a/b/pull/1/files/'], run: githubPullRequest },
  toEnglish: (words) => toEnglish(coded('serviceFailed', { words })),
  toLabel: (text) => toLabel(text),
  toNotice: (text) => toNotice(text),
  toQuestion: (text) => toQuestion(text),
  dropInvisible,
  showInvisible,
  shownPrompt,
  detectLikely: { begins: ['', 'password = ', 'eyJ'], run: detectLikely },
  toBoxLine: (text) => toBoxLine(text),
  toPickLabel,
  toTooltip,
  toLogLines,
  'toText of a long page': (text) => toText(text, 100_000),
  firstLine,
  markdownLink: (text) => markdownLink(text, text),
  markdownTable: { bound: 10_000, run: (text) => markdownTable([text], [[text, { address: text }]]) },
  // What a user pastes, or the editor is asked to open.
  parseJobLink: { begins: ['', `vscode://${EXTENSION_ID}/job?`], run: parseJobLink },
  looksLikeJobLink,
  parseBaseUrl: { begins: ['', 'https://h/'], run: parseBaseUrl },
  keyProblem: (text) => keyProblem(text, 'https://api.mintlify.com'),
  promptsWith: (text) =>
    promptsWith([{ text, send: undefined as never, at: 0, job: undefined as never }], 'one two three'),
  promptText,
  // What a repository contains.
  symbolNamedAt: findSymbolsNamed,
  isBranchName,
  remoteAddress: { begins: ['', 'https://h/', 'git@h:'], run: (text) => remoteAddress(text, '/base') },
  shownRemoteUrl: { begins: ['', 'https://h/', 'git@h:'], run: toPublicUrl },
  ownSettings: { begins: ['', 'global\0'], run: (text) => ownSettings(text) },
  SummaryReader: {
    begins: ['', '1\t1\t', ':100644 100644 a b M\0'],
    run: (text) => inChunks(text, new SummaryReader(), 64),
  },
  patchOf: (text) => patchOf(CHANGED, `diff --git a/a b/a\n@@ -1 +1 @@\n${text}`, 50_000),
  'patchOf, of a path': { bound: 4_096, run: (path) => patchOf({ ...CHANGED, path }, `diff --git a/${path}`, 50_000) },
  isEscapingTarget: (text) => isEscapingTarget('docs/a.md', text),
  'GuidanceReader of a path': {
    bound: 100_000,
    run: (text) => inChunks(`100644 blob 0\t${text}`, new GuidanceReader()),
  },
  'GuidanceReader of many paths': {
    begins: ['', 'docs/AGENTS.md\0'],
    run: (text) => inChunks(text.replaceAll('\n', '/README.md\0').slice(0, text.length), new GuidanceReader()),
  },
  isVersionLine: { bound: 65_000, begins: ['', 'v', 'lts/'], run: (text) => isVersionLine(`${text}!`) },
  describeCheck: (text) => describeCheck(hostileCheck(text), text),
  withCheck: { begins: ['', `${checkBlock('a')}\n`, '[docs-agent-check]: # ('], run: (text) => withCheck(text, 'b') },
  escapeCheckMark: { begins: ['', '[docs-agent-check'], run: escapeCheckMark },
  showControlCharacters,
  elide: (text) => elide(text, 1_000),
  looksGarbled,
  renderBlock: (text) => renderBlock({ heading: text, notes: [text], languageId: text, text }),
  withoutLocalPaths: (text) => withoutLocalPaths(text, [{ path: '/home/user/docs', name: 'docs' }], '/home/user'),
  terminalText: (text) => terminalText(`${text}\u001B[${'#;'.repeat(text.length / 2)}`),
  commentTrigger: { begins: ['', '// '], run: (text) => commentTrigger(() => text, 80, 'typescript', ['TODO', 'x']) },
  'commentTrigger with many words': {
    bound: 10_000,
    begins: ['"', '/* "'],
    run: (text) => commentTrigger(() => text, 80, 'typescript', Array.from('abcdefghijklmnopqrstuvwxyz/*\'"`\\')),
  },
  'contextWord of a line': { begins: ['', '#'], run: (text) => contextWord([], text) },
  'contextWord below lines': (text) => contextWord(text.split('\n'), '#a'),
  relocate: (text) => relocate(text.slice(0, text.length / 2), 5, `x\n${text}`),
  'relocate in a long file': { bound: 2_500_000, run: (text) => relocate('a', 5, text) },
  'headingsOf Markdown': { begins: ['', '# a'], run: (text) => headingsOf(text, 'a.md') },
  'headingsOf reStructuredText': { begins: ['', 'a\n'], run: (text) => headingsOf(text, 'a.rst') },
  'headingsOf AsciiDoc': { begins: ['', '== a'], run: (text) => headingsOf(text, 'a.adoc') },
  'IgnoreRules of a .gitignore': (text) =>
    new IgnoreRules(async (folder) => (folder === '' ? text : undefined)).isIgnored(`${'a/'.repeat(60)}a`, false),
  'pageContext of a page with long front matter': {
    bound: 2_500_000,
    run: (text) => {
      const page = { path: 'a.md', text: `---\n${text}\n---\n`, languageId: 'markdown' };
      return pageContext(page, { list: async () => [], read: async () => undefined });
    },
  },
  readFrontMatter: { begins: ['', '---\n'], run: readFrontMatter },
  'pagesFolders of MkDocs': { begins: ['', 'docs_dir:', 'docs_dir: "'], run: (text) => pagesFolders('MkDocs', text) },
  'pagesFolders of Docusaurus': { begins: ['', 'path: "'], run: (text) => pagesFolders('Docusaurus', text) },
  variablesOf: { bound: 64 * 1024, begins: ['', '$ask{', '\\$'], run: variablesOf },
  'fillTemplate of a repository': {
    bound: 64 * 1024,
    begins: ['', '$ask{', '$file'],
    run: (text) => fillTemplate(text + '$selection'.repeat(text.length / 10), { selection: text }),
  },
  detectKeys: { begins: ['', '-----BEGIN PRIVATE KEY-----\n', '-----BEGIN PRIVATE KEY----- "a'], run: detectKeys },
  ownDetectors: (text) => ownDetectors(redactor).map((detect) => detect(text)),
  findSecrets: { bound: 100_000, run: (text) => findSecrets(text, allDetectors) },
  'findSecrets, of many values': { bound: 50_000, run: (text) => findSecrets(numbered(text), [partsOf]) },
  'toGitError of a foreign repository': {
    begins: ['', 'fatal: detected dubious ownership\n', '\tgit config --global --add safe.directory '],
    run: (text) => toGitError(Object.assign(new Error(), { code: 128 }), '', `${text}\ndubious ownership`, '/'),
  },
  gitErrorText: { begins: ['', 'fatal: '], run: (text) => gitErrorText({ stderr: text }) },
  'gitErrorText of a very long output': { bound: 20_000_000, run: (text) => gitErrorText({ stderr: text }) },
  'fittingPrompt, of as many review comments as are read': {
    bound: 5_000,
    run: (text) => {
      const thread = { path: 'a', line: 1, isOutdated: false, comments: [{ author: 'a', text: `.${text}.` }] };
      return fittingPrompt({ home: { service: LOCAL_SERVICE, projectId: 'p' } }, 'https://x', Array(100).fill(thread));
    },
  },
  // What an agent prints or sends.
  'OutputTail.lastLine': (text) => tailOf(text).lastLine(),
  'OutputTail.lastLines': (text) => tailOf(text).lastLines(3),
  'AcpStory, of a message': (text) => storyOf([{ sessionUpdate: 'agent_message_chunk', content: { text } }]),
  'AcpStory, of a message in pieces': (text) =>
    storyOf(
      Array.from({ length: 100 }, (_, at) => ({
        sessionUpdate: 'agent_message_chunk',
        content: { text: text.slice(at * 2_500, (at + 1) * 2_500) },
      })),
    ),
  'AcpStory, of a tool call': (text) =>
    storyOf([
      { sessionUpdate: 'plan', entries: [{ content: text }] },
      { sessionUpdate: 'tool_call', toolCallId: 'a', title: text, kind: text, locations: [{ path: text }] },
    ]),
  readEvents: async (text) => {
    const body = ReadableStream.from([Buffer.from(text)]);
    const transport = { open: async () => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, body }) };
    for await (const _ of readEvents(transport as unknown as Transport, { method: 'GET', url: '', headers: {} })) {
      // Only the time that it takes matters.
    }
  },
  'ToolCalls.update': (text) =>
    new ToolCalls().update({
      toolCallId: 'a',
      title: text,
      kind: text,
      status: text,
      locations: [{ path: text }],
      rawInput: { path: text, command: text, changes: { [text]: {} }, [text]: Array(1_000).fill(0) },
    }),
  'oneLine of an agent': oneLine,
  cutText: { bound: 5_000_000, run: (text) => cutText(text, 300) },
  neutralizeMentions,
  'commitMessage of a prompt': { bound: 1_000_000, run: (text) => commitMessage(text, 'id') },
  'commitMessage of a summary': (text) => commitMessage('Prompt', 'id', text),
  pullRequestTitle,
  'pullRequestBody of a prompt': (text) => pullRequestBody(text, '', 'id'),
  'pullRequestBody of a summary': (text) => pullRequestBody('Prompt', text, 'id'),
  'pullRequestBody of a summary that is not cut': {
    bound: 7_900,
    begins: ['x', 'x/'],
    run: (text) => pullRequestBody('Prompt', text, 'id'),
  },
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
  'failureOf a Git host': { bound: 300, run: (text) => toForgeFailure('h', 'o/r', 422, {}, text) },
  safeLinkOfHost: { begins: ['', 'https://h/'], run: (text) => safeLinkOfHost(text, 'https://h/') },
  printedLink: { begins: ['', 'remote: https://h/a/b/pull/'], run: (text) => printedLink(text, 'https://h/a/b') },
  isPullRequestLink,
  'RemoteReferences of one commit': (text) => new RemoteReferences(text.replaceAll('a', 'a\t')).namesOf('a'),
  // What a browser or a client of the service sends.
  'KeyRing.find': { bound: 16_000, begins: ['', 'Bearer '], run: (text) => keyRing.find(text) },
  'admits of a cookie': { bound: 16_000, run: (text) => reviewAccess.admits('id', text, text) },
  'redeem of a code': { bound: 16_000, run: (text) => reviewAccess.redeem('id', text) },
  isHostOf: { bound: 16_000, begins: ['', 'jobs.example:'], run: (text) => isHostOf(TEAM_URL, text) },
  'KeyStore.find': { bound: 16_000, begins: ['', 'Bearer team_'], run: (text) => teamKeys.find(text) },
  'readGitTokens, of the environment': {
    begins: ['', 'git.example=', 'git.example:1=a:'],
    run: (text) => readGitTokens({ DOCS_AGENT_TOKENS: text }, new TokenStore()).catch(() => undefined),
  },
  isReviewLink: { begins: ['', 'http://127.0.0.1:1/review/'], run: (text) => isReviewLink(text, text) },
  startTimeInStat: { bound: 4_000, run: startTimeInStat },
  // What is shown for review, and the comments on it.
  escapeHtml,
  'the word diff of a text that was changed in the middle': (text) =>
    createWordDiff()(`${text}a${text}`, `${text}b${text}`),
  'the word diff of a line that became many': {
    bound: 60_000,
    run: (text) =>
      createWordDiff()(
        text.replaceAll('\n', ' '),
        text.replace(/[^]{100}/g, (part) => `x${part}\n`),
      ),
  },
  newBranchNames: { begins: ['', 'e\u0315\u0300'], run: (text) => newBranchNames(text, '0123456789abcdef') },
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
  'followLines into a version with no line in common': (text) => {
    const lines = numbered(text).split(' ').join('\n');
    return followLines('x', 1, lines, lines.replaceAll('\n', '\n+'));
  },
  'the word diff of texts with no word in common': {
    bound: 30_000,
    run: (text) => createWordDiff()(text, numbered(text)),
  },
  toChangedFiles: { begins: ['', 'diff --git a/a b/a\n@@ -1 +1 @@\n'], run: (text) => toChangedFiles(text, [CHANGED]) },
  'reviewComments of the editor, of lines': (quoted) => renderReviewComments([{ ...comment, quoted }]),
  'reviewComments of the editor, of a comment': (text) => renderReviewComments([{ ...comment, text }]),
  'followLines into a long file': { bound: 2_500_000, run: (text) => followLines('a', 1, text, text) },
  'followLines from an unknown version': { bound: 2_500_000, run: (text) => followLines(text, 1, undefined, text) },
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

function storyOf(updates: readonly unknown[]): string {
  const story = new AcpActivityLog('/folder', new ToolCalls(), { onEntry: () => undefined, onUsage: () => undefined });
  updates.forEach((update) => story.take(update));
  return story.end();
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
