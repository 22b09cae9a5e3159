import { dropInvisible } from '../../shared/util/invisible';
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
