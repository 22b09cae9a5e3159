import { createHash } from 'node:crypto';
import { dropInvisible, showInvisible } from '../../base/text';
import type { CheckedResult } from '../../checks/process/runCheck';
import { sayInMarkdown } from '../../checks/describe';
import { cutText, neutralizeMentions } from '../text';

const MAX_TITLE = 100;
/** GitHub accepts 65,536 characters; readers want far fewer. */
const MAX_PROMPT = 4000;

/** The title of a job's pull request: the first line of its first prompt. */
export function pullRequestTitle(prompt: string): string {
  const firstLine = withoutInvisible(prompt).split('\n', 1)[0]?.trim() ?? '';
  return cutText(neutralizeMentions(firstLine), MAX_TITLE) || 'Documentation';
}

/**
 * The body of a job's pull request, in Markdown: which one it continues, the agent's summary, the check, the repository's template, the quoted prompt and
 * the job. The agent's part cannot mention people, close issues or show external images, because what the agent read may
 * have told it to.
 *
 * @param template as the repository has it, within limits
 * @param check what the check of the added lines has found; undefined if the description doesn't have it
 * @param continues the link of an earlier pull request of the job
 */
export function pullRequestBody(
  prompt: string,
  summary: string,
  jobId: string,
  template = '',
  check?: string,
  continues: string | null = null,
): string {
  const said = escapeMarkdown(withoutInvisible(summary));
  const asked = cutText(withoutInvisible(prompt), MAX_PROMPT)
    .split('\n')
    .map((line) => `> ${escapeMarkdown(line)}`.trimEnd());
  const trailer = `Docs-Agent-Job: ${jobId}`;
  const checked = check === undefined ? '' : checkBlock(check);
  const own = [continuesLine(continues), said, checked, template].filter((text) => text !== '').map(closeCodeFence);
  return [...own, 'The prompt was:', asked.join('\n'), '---', trailer].join('\n\n');
}

/** The first line of a pull request that continues another one; empty if the link is not that of a pull request. */
function continuesLine(link: string | null): string {
  const number = link?.split('/').at(-1) ?? '';
  if (link === null || !/^\d+$/.test(number)) {
    return '';
  }
  const name = `${link.includes('/merge_requests/') ? '!' : '#'}${number}`;
  return `Continues [${name}](${new URL(link).href.replaceAll('(', '%28').replaceAll(')', '%29')}).`;
}

/** Removes characters that readers of the pull request would not see, but the next agent would. */
function withoutInvisible(text: string): string {
  return dropInvisible(text.replace(/\r\n?|[\u2028\u2029]/g, '\n')).trim();
}

function escapeMarkdown(text: string): string {
  return (
    escapeCheckMark(neutralizeMentions(text))
      // Character references, which would become mentions.
      .replace(/&(?=#?\w+;)/g, '&amp;')
      // HTML, including comments, and images, which reveal viewers to the image's host.
      .replaceAll('<', '&lt;')
      .replace(/!\[/g, '!\\[')
      // Lines that GitLab would run as quick actions.
      .replace(/^([^\S\r\n\u2028\u2029]*(?:>[^\S\r\n\u2028\u2029]*)*)\/(?=[a-z_]+(?:\s|$))/gim, '$1\\/')
  );
}

/** Closes a code fence that is left open and would swallow the text that follows. */
function closeCodeFence(text: string): string {
  let open: string | undefined;
  for (const line of text.split('\n')) {
    const fence = /^ {0,3}(`{3,}|~{3,})(.*)/s.exec(line);
    const [, marks = '', info = ''] = fence ?? [];
    if (open === undefined && marks !== '' && !(marks.startsWith('`') && info.includes('`'))) {
      open = marks;
    } else if (open !== undefined && marks.startsWith(open) && info.trim() === '') {
      open = undefined;
    }
  }
  return open === undefined ? text : `${text}\n${open}`;
}

/** Further findings are only counted. */
const MAX_FINDINGS = 20;

const HASH_LENGTH = 10;

/** Maximum length of a path, a name, a link target, or a message, in characters. */
const MAX_TEXT = 200;

/** What the check of the added lines has found, in Markdown; empty if no page has new lines. */
export function describeCheck({ findings, more, coverage }: CheckedResult, commit: string): string {
  const found = findings.length + more;
  if (found === 0 && coverage.pages === 0) {
    return '';
  }
  const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;
  const result = found === 0 ? `no problems found on ${count(coverage.pages, 'page')}` : count(found, 'problem');
  const listed = findings.slice(0, MAX_FINDINGS);
  const rest = found - listed.length;
  const lines = [
    ...listed.map((finding) => {
      const { path, line } = finding.place;
      return `- ${quoted(path)}, line ${line}: ${sayInMarkdown(finding, quoted)}`;
    }),
    ...(rest === 0 ? [] : [`- … and ${rest} more`]),
  ];
  return [
    `**Check of the added lines** at ${quoted(commit.slice(0, HASH_LENGTH))}: ${result}`,
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
    ...(coverage.notChecked.length === 0 ? [] : ['Not everything could be checked.']),
  ].join('\n\n');
}

/**
 * Foreign text on one line in code font, which it can't end. GitLab closes issues that are named in code font, too, so
 * references are neutralized.
 */
function quoted(text: string): string {
  const line = showInvisible(text.slice(0, MAX_TEXT * 4))
    .replace(/\s+/g, ' ')
    .replaceAll('`', "'")
    .trim();
  return line === '' ? '(empty)' : `\`${neutralizeMentions(cutText(line, MAX_TEXT))}\``;
}

/**
 * Marks the check in a description: link definitions, which no host shows. The first one contains a hash of the text
 * between them, which tells whether a person has edited it.
 */
const MARK = '[docs-agent-check]: # ';
const START = /^\[docs-agent-check\]: # \(([0-9a-f]{16})\)$/gm;
const END = `${MARK}(end)`;

/** Keeps a text from containing a mark. */
export function escapeCheckMark(text: string): string {
  return text.replace(/^\[(?=docs-agent-check\])/gim, '\\[');
}

/** The check with its marks, from which `withCheck` recognizes it. */
export function checkBlock(text: string): string {
  return [`${MARK}(${hashOf(text)})`, ...(text === '' ? [] : [text]), END].join('\n\n');
}

/**
 * A description with another check. Undefined if there is nothing to change: the check is up to date, or a person has
 * edited or removed it.
 */
export function withCheck(description: string, text: string): string | undefined {
  const body = description.replaceAll('\r\n', '\n');
  const [start, ...others] = body.matchAll(START);
  // Only at the start of a line: a name or a path in the check may contain the same text.
  const end = start === undefined ? -1 : body.indexOf(`\n${END}`, start.index);
  if (start === undefined || end === -1 || others.length > 0) {
    return undefined;
  }
  const now = body.slice(start.index + start[0].length, end).trim();
  if (hashOf(now) !== start[1] || now === text) {
    return undefined;
  }
  return body.slice(0, start.index) + checkBlock(text) + body.slice(end + 1 + END.length);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
