import { dropInvisible } from '../../base/text';
import { cutText, neutralizeMentions } from '../text';

const MAX_TITLE = 100;
/** GitHub takes 65,536 characters; a reader far fewer. */
const MAX_SUMMARY = 8000;
const MAX_PROMPT = 4000;

/** The title of a job's pull request: the first line of its first prompt. */
export function pullRequestTitle(prompt: string): string {
  const firstLine = withoutInvisible(prompt).split('\n', 1)[0]?.trim() ?? '';
  return cutText(neutralizeMentions(firstLine), MAX_TITLE) || 'Documentation';
}

/**
 * The body of it, in Markdown: what the agent says of its work, the prompt as a quotation, the job. Nothing in it calls
 * a person, closes an issue or shows a picture from elsewhere: the agent may have been told so by what it read.
 */
export function pullRequestBody(prompt: string, summary: string, jobId: string): string {
  const said = harmless(cutText(withoutInvisible(summary), MAX_SUMMARY));
  const asked = cutText(withoutInvisible(prompt), MAX_PROMPT)
    .split('\n')
    .map((line) => `> ${harmless(line)}`.trimEnd());
  const trailer = `Docs-Agent-Job: ${jobId}`;
  return [...(said === '' ? [] : [closed(said)]), 'The prompt was:', asked.join('\n'), '---', trailer].join('\n\n');
}

/** Nobody who reads the pull request would see it, and the next agent would. */
function withoutInvisible(text: string): string {
  return dropInvisible(text.replace(/\r\n?|[\u2028\u2029]/g, '\n')).trim();
}

function harmless(text: string): string {
  return (
    neutralizeMentions(text)
      // HTML, comments in it included, and pictures, which tell their host who looks.
      .replaceAll('<', '&lt;')
      .replace(/!\[/g, '!\\[')
      // Lines that GitLab takes for commands.
      .replace(/^(\s*(?:>\s*)*)\/(?=[a-z_]+(?:\s|$))/gim, '$1\\/')
  );
}

/** A fence that the text leaves open would swallow what follows it. */
function closed(text: string): string {
  let open: string | undefined;
  for (const line of text.split('\n')) {
    const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/s.exec(line);
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

/** What is looked at, in UTF-16 units: a host decides how much it says. */
const MAX_READ = 4_000;

/** Prepares someone else's text for a sentence of ours: one line, nothing invisible, no user names in addresses, cut. */
export function sanitize(words: string, secrets: readonly string[] = []): string {
  const printed = withoutSecrets(words, secrets)
    .slice(0, MAX_READ)
    // Sequences of a terminal first, so that no rest of them stays.
    // eslint-disable-next-line no-control-regex -- that is what is taken out
    .replace(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g, '');
  const line = dropInvisible(printed)
    .replace(/\s+/g, ' ')
    .replace(/:\/\/[^/\s]*@/g, '://')
    .trim();
  return cutText(line, MAX_WORDS);
}

/** To be done before a text is cut, which could leave the first half of a secret. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length > 3).sort((a, b) => b.length - a.length);
  return known.reduce((rest, secret) => {
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replace(/=+$/, '')];
    return forms.reduce((left, form) => left.replaceAll(form, '[secret]'), rest);
  }, text);
}
