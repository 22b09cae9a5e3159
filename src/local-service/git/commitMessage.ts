import { cutText, neutralizeMentions } from '../text';

/** The maximum length of the first line of a commit message, in characters. */
const MAX_SUBJECT = 72;
/** How much of a prompt a commit message contains: lines, and characters per line. */
const MAX_PROMPT_LINES = 20;
const MAX_PROMPT_LINE = 200;
/** How much of an agent's summary is kept, in characters. */
const MAX_SUMMARY = 4000;

/** The line length of the wrapped summary of merged work, in characters. */
const WRAP = 72;

/**
 * The message of a turn's commit: the prompt's first line, the start of the prompt if it is longer, the agent's summary
 * and the job's trailer. A prompt may contain whole files, which do not belong in a history.
 */
export function commitMessage(prompt: string, jobId: string, summary = ''): string {
  const text = withoutControls(prompt);
  const said = withoutTrailers(neutralizeMentions(cutText(withoutControls(summary), MAX_SUMMARY)));
  const firstLine = text.split('\n', 1)[0]?.trim() ?? '';
  const subject = cutText(firstLine, MAX_SUBJECT);
  const body = [...(text === subject ? [] : [firstLines(text)]), ...(said === '' ? [] : [said])];
  return `${[subject || 'Documentation', ...body, `Docs-Agent-Job: ${jobId}`].join('\n\n')}\n`;
}

/** What the message of merged work is made from, without secrets. */
export interface MergedText {
  prompt: string;
  summary: string;
}

/**
 * The message of the one commit that merged work becomes: its subject and body come from the agent's summary, or else
 * from the prompt. The trailers tell later merges which of the job's commits the branch has (see `findSquashed`).
 */
export function squashMessage({ prompt, summary }: MergedText, jobId: string, commit: string): string {
  const said = neutralizeMentions(cutText(withoutControls(summary), MAX_SUMMARY));
  const text = withoutControls(prompt);
  const subject = cutText(firstSentence(said) || (text.split('\n', 1)[0]?.trim() ?? ''), MAX_SUBJECT);
  const isAllSaid = said === '' || said.replace(/\.$/, '') === subject;
  const asked = text === '' || text === subject ? [] : [`Prompt:\n${firstLines(text)}`];
  const trailers = `Docs-Agent-Job: ${jobId}\nDocs-Agent-Commit: ${commit}`;
  return `${[subject || 'Documentation', ...(isAllSaid ? [] : [withoutTrailers(wrap(said))]), ...asked, trailers].join('\n\n')}\n`;
}

/** The first sentence of a text in Markdown, without its marks and its full stop. Empty if there is none. */
function firstSentence(text: string): string {
  const line =
    text
      .split('\n')
      .map((each) => each.replace(/^[\s#>*+-]+|[*_`]{2,}/g, '').trim())
      .find((each) => /\p{L}/u.test(each)) ?? '';
  return (/^.+?[.!?:](?=\s|$)/.exec(line)?.[0] ?? line).replace(/[.:]$/, '');
}

/** Breaks long lines at spaces, except in code blocks. */
function wrap(text: string): string {
  let isCode = false;
  const lines = text.split('\n').map((line) => {
    const isFence = /^\s*(```|~~~)/.test(line);
    isCode = isFence ? !isCode : isCode;
    return isCode || isFence ? line : line.replace(new RegExp(`(.{1,${WRAP}})(?: +|$)`, 'g'), '$1\n').trimEnd();
  });
  return lines.join('\n');
}

function firstLines(text: string): string {
  const lines = text.split('\n');
  const left = lines.length - MAX_PROMPT_LINES;
  const more = left === 1 ? '… 1 more line' : `… ${left.toLocaleString('en-US')} more lines`;
  const kept = lines.slice(0, MAX_PROMPT_LINES).map((line) => cutText(line, MAX_PROMPT_LINE));
  return [...kept, ...(left > 0 ? [more] : [])].join('\n');
}

/** Removes NUL and terminal controls, which a commit message must not contain. */
function withoutControls(text: string): string {
  // oxlint-disable-next-line no-control-regex -- that is what is taken out
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '').trim();
}

/** Keeps an agent from signing in a person's name or as another job. */
function withoutTrailers(text: string): string {
  return text.replace(
    /^(?=[^\S\r\n\u2028\u2029]*(?:docs-agent-|signed-off-by|co-authored-by|[a-z]+-by)[^\n:]*:)/gim,
    '> ',
  );
}
