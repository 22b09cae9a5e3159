import { dropInvisible } from '../../base/text';
import { cutText, neutralizeMentions } from '../text';
import { checkBlock, escapeCheckMark } from './checkInDescription';

const MAX_TITLE = 100;
/** GitHub accepts 65,536 characters; readers want far fewer. */
const MAX_SUMMARY = 8000;
const MAX_PROMPT = 4000;

/** The title of a job's pull request: the first line of its first prompt. */
export function pullRequestTitle(prompt: string): string {
  const firstLine = withoutInvisible(prompt).split('\n', 1)[0]?.trim() ?? '';
  return cutText(neutralizeMentions(firstLine), MAX_TITLE) || 'Documentation';
}

/**
 * The body of a job's pull request, in Markdown: the agent's summary, the check, the repository's template, the quoted prompt and
 * the job. The agent's part cannot mention people, close issues or show external images, because what the agent read may
 * have told it to.
 *
 * @param template as the repository has it, within limits
 * @param check what the check of the added lines has found; undefined if the description doesn't have it
 */
export function pullRequestBody(prompt: string, summary: string, jobId: string, template = '', check?: string): string {
  const said = escapeMarkdown(cutText(withoutInvisible(summary), MAX_SUMMARY));
  const asked = cutText(withoutInvisible(prompt), MAX_PROMPT)
    .split('\n')
    .map((line) => `> ${escapeMarkdown(line)}`.trimEnd());
  const trailer = `Docs-Agent-Job: ${jobId}`;
  const checked = check === undefined ? '' : checkBlock(check);
  const own = [said, checked, template].filter((text) => text !== '').map(closeCodeFence);
  return [...own, 'The prompt was:', asked.join('\n'), '---', trailer].join('\n\n');
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

const MAX_WORDS = 300;

/** How much text is read, in UTF-16 units, because a host decides how much it sends. */
const MAX_READ = 4_000;

/** Prepares external text for our sentences: one short line, no secrets, invisible characters or user names in URLs. */
export function sanitize(words: string, secrets: readonly string[] = []): string {
  const printed = redactSecrets(words, secrets)
    .slice(0, MAX_READ)
    // Terminal sequences first, so that no part of them remains.
    // oxlint-disable-next-line no-control-regex -- that is what is taken out
    .replace(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g, '');
  const line = dropInvisible(printed)
    .replace(/\s+/g, ' ')
    .replace(/:\/\/[^/\s]*@/g, '://')
    .trim();
  return cutText(line, MAX_WORDS);
}

/** Redacts secrets. Do this before cutting a text, because the cut could leave the first half of a secret. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length > 3).sort((a, b) => b.length - a.length);
  return known.reduce((rest, secret) => {
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replaceAll('=', '')];
    return forms.reduce((left, form) => left.replaceAll(form, '[secret]'), rest);
  }, text);
}
