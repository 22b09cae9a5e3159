// The demo agent, for trying out: no model, no network. It reads a prompt from standard input, edits Markdown files in its
// working folder by a few fixed rules, and prints what it did. For each quoted text, the first rule that applies:
//
//   “remove …”, “delete …”           removes the quoted lines, or only the words in quotation marks
//   “shorter”, “shorten …”           shortens them
//   replace “a” with “b”             replaces the words in the quoted lines
//   “say that …”                     adds that sentence after the quoted lines
//   a sentence of the sample         rewrites it, and one more place (SAMPLE_EDITS)
//   anything else                    adds a note after the quoted lines
//
// The same in German: “entferne”, “lösche”, “kürzer”, “kürze”, „ersetze „a“ durch „b““, “sag, dass”.
//
// Names that the check found are replaced, if the prompt says by which. Where others' changes conflict, both sides stay.
//
// Without a quoted text, a prompt about a topic of the sample gets its edit, and any other a short section.
// The prompt “fail” makes the agent fail. `[scripted: fail]`, `[scripted: wait 2000]` and `[scripted: change nothing]` work as in test/support/scriptedAgent.mjs.
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const ABOUT = '(Demo agent: it follows a few fixed rules and uses no model.)';
const PAGES = ['docs/getting-started.md', 'docs/configuration.md', 'docs/index.md', 'README.md'];
const REMOVE = /(?<!n['’]t |not |never )\b(remove|delete|entfern(e|en)?|lösch(e|en)?)\b/i;
const SHORTEN = /\b(shorter|shorten|kürzer|kürz(e|en))(?!\p{L})/iu;
const REPLACE = /(?<!\p{L})(replace|change|ersetz(e|en)?|änder(e|n)?)(?!\p{L})/iu;
const STATED =
  /\b(?:(?:say|mention|add|explain|note) that|(?:sag(?:e|en)?|erwähn(?:e|en)?|ergänz(?:e|en)?)(?: bitte)?,? dass) (.+)$/is;
const DIRECTIVE = /\[scripted: ([^\]]+)\]/g;

/**
 * What the demo agent knows about the sample documentation: each edit improves one text, and one more place that is
 * related to it. All of it is true of the sample's src/retry.ts. A prompt without a quoted text must mention the topic;
 * `short` is what remains of `after` when the user wants it shorter.
 */
const SAMPLE_EDITS = [
  {
    topic: /\b(retr(y|ies|ied|ying)|attempts?|delay|configuration|options?)\b/i,
    changes: [
      {
        did: 'rewrote the sentence about retries in docs/getting-started.md',
        path: 'docs/getting-started.md',
        before: 'Failed requests are retried a few times.',
        after: 'Failed requests are retried up to three times, with a longer pause before each attempt.',
        short: 'Failed requests are retried up to three times.',
      },
      {
        did: 'added the defaults to docs/configuration.md',
        path: 'docs/configuration.md',
        before: '- `attempts`: the maximum number of attempts.',
        after: '- `attempts`: the maximum number of attempts (default: 4).',
      },
      {
        did: 'added the defaults to docs/configuration.md',
        path: 'docs/configuration.md',
        before: '- `baseDelayMs`: the delay before the second attempt.',
        after: '- `baseDelayMs`: the delay before the second attempt, in milliseconds (default: 250).',
      },
    ],
  },
  {
    topic: /\bhow often\b/i,
    changes: [
      {
        did: 'said in docs/getting-started.md where `attempts` is set',
        path: 'docs/getting-started.md',
        before: 'Set `attempts` to change how often.',
        after: 'Set `attempts` in the [retry policy](configuration.md) to change how often.',
      },
      {
        did: 'mentioned the wait in docs/index.md',
        path: 'docs/index.md',
        before: '[Configuration](configuration.md): how often requests are sent',
        after: '[Configuration](configuration.md): how often requests are sent, and how long they wait in between',
      },
    ],
  },
  {
    topic: /\b(install(ing|ation)?|packages?|first request|getting started)\b/i,
    changes: [
      {
        did: 'added the command for the installation to docs/getting-started.md',
        path: 'docs/getting-started.md',
        before: 'Install the package and send a first request:',
        after: 'Install the package with `npm install lighthouse`, and send a first request:',
      },
      {
        did: 'mentioned the installation in docs/index.md',
        path: 'docs/index.md',
        before: 'the first request in five minutes',
        after: 'installation and the first request in five minutes',
      },
    ],
  },
  {
    topic: /\b(lighthouse|introduction|overview|readme|slow services?)\b/i,
    changes: [
      {
        did: 'made the introduction in README.md more precise',
        path: 'README.md',
        before: 'comes back with an answer or a good reason.',
        after: 'comes back with an answer, or with an error after the last attempt.',
      },
      {
        did: 'linked to docs/configuration.md there',
        path: 'README.md',
        before: '- [Getting started](docs/getting-started.md)\n',
        after: '- [Getting started](docs/getting-started.md)\n- [Configuration](docs/configuration.md)\n',
      },
    ],
  },
];

const NEW_MESSAGE = '--- New message ---\n';

/** Longer messages are cut, in characters. */
const MAX_MESSAGE = 100_000;

/** “From `docs/a.md`, lines 3-10:” above a selection, and “In `docs/a.md`, line 3:” above a review comment. */
const PLACE = /^(?:\d+\. )?(?:From|In) (`+) ?([^`]+?) ?\1, lines? [^:]*:$/;

/**
 * Reads what the extension and the local service send: the instruction of the newest message, and the quoted lines with
 * their places and what to do with them.
 */
function readMessage(input) {
  const at = input.lastIndexOf(NEW_MESSAGE);
  const message = (at === -1 ? input : input.slice(at + NEW_MESSAGE.length)).slice(0, MAX_MESSAGE);
  const instruction = [];
  const places = [];
  let fence = '';
  for (const line of message.split('\n')) {
    const place = places.at(-1);
    const found = fence === '' ? PLACE.exec(line) : null;
    const mark = /^`{3,}/.exec(line)?.[0] ?? '';
    if (found) {
      places.push({ path: found[2], lines: [], comment: [] });
    } else if (place === undefined) {
      instruction.push(line);
    } else if (fence !== '') {
      if (line === fence) {
        fence = '';
      } else {
        place.lines.push(line);
      }
    } else if (mark !== '') {
      fence = mark;
    } else if (line.startsWith('>')) {
      place.comment.push(line.slice(1).trim());
    }
  }
  const whole = instruction.join('\n').trim();
  return {
    instruction: whole,
    places: places.map(({ path, lines, comment }) => ({
      path,
      quoted: lines.join('\n').trim(),
      request: comment.length === 0 ? whole : comment.join(' ').trim(),
    })),
  };
}

async function main() {
  const input = readFileSync(0, 'utf8');
  const message = readMessage(input);
  const directives = [...message.instruction.matchAll(DIRECTIVE)].map((match) => match[1]);
  const instruction = message.instruction.replace(DIRECTIVE, '').trim();
  for (const directive of directives) {
    await delay(Number(/^wait (\d+)$/.exec(directive)?.[1] ?? 0));
  }
  if (directives.includes('fail') || /^(please )?fail[.!]?$/i.test(instruction)) {
    console.error('The prompt told me to fail.');
    process.exit(1);
  }
  const resolved = resolveConflicts(input);
  const told =
    resolved.length > 0 && /\bconflicts?\b/i.test(instruction)
      ? resolved
      : [
          ...resolved,
          ...(directives.includes('change nothing') ? ['I was told to change nothing.'] : work(message, instruction)),
        ];
  console.log(`${told.join(' ')} ${ABOUT}`);
}

/** Returns sentences on what was done. */
function work({ places }, instruction) {
  const renamed = replaceOutdatedNames(instruction);
  if (renamed.length > 0) {
    return renamed;
  }
  const pages = places.filter(({ path }) => isPage(path));
  if (pages.length > 0) {
    return pages.map((place) => workAt({ ...place, request: place.request.replace(DIRECTIVE, '').trim() }));
  }
  const [named] = quotedWords(instruction);
  const path = named === undefined ? undefined : PAGES.find((page) => isPage(page) && read(page).includes(named));
  if (path !== undefined) {
    return [workAt({ path, quoted: named, request: instruction })];
  }
  if (SHORTEN.test(instruction)) {
    return [shortenOwnWork()];
  }
  if (REMOVE.test(instruction)) {
    return ['I changed nothing, because I can only remove text that you quote. Comment on the line to remove.'];
  }
  const all = [instruction, ...places.map(({ quoted }) => quoted)].join('\n');
  const edit = SAMPLE_EDITS.find((each) => each.topic.test(all) && isNew(each));
  return [edit === undefined ? addSection(instruction) : apply(edit)];
}

/** Keeps both sides of each conflict on the pages that the service lists below the words of the prompt. */
function resolveConflicts(input) {
  const pages = [...new Set([...input.matchAll(/^- (.+)$/gm)].map(([, path]) => path))].filter(
    (path) => isPage(path) && read(path).includes('\n>>>>>>> '),
  );
  for (const page of pages) {
    write(page, read(page).replace(/^(?:<{7} .*|={7}|>{7} .*)\n/gm, ''));
  }
  return pages.map((page) => `I kept both versions of the lines that conflict in ${page}.`);
}

/** The headings and lines of a prompt about what the check has found: a page, and a name with its successor. */
const OUTDATED = /^In `([^`]+)`:$|^- Line \d+: `([^`]+)` is no longer in the code\. Probably replaced by `([^`]+)`\./gm;

function replaceOutdatedNames(instruction) {
  const done = [];
  let page = '';
  for (const [, path, name, successor] of instruction.matchAll(OUTDATED)) {
    page = path ?? page;
    const pattern = new RegExp(`(?<![\\w-])${(name ?? '').replace(/[^\w\s]/g, '\\$&')}(?![\\w-])`, 'g');
    if (name !== undefined && isPage(page) && pattern.test(read(page))) {
      write(
        page,
        read(page).replace(pattern, () => successor),
      );
      done.push(`I replaced “${name}” with “${successor}” in ${page}.`);
    }
  }
  return done;
}

function workAt({ path, quoted, request }) {
  const text = read(path);
  if (quoted === '' || !text.includes(quoted)) {
    return `I changed nothing in ${path}, because the quoted text isn’t there anymore.`;
  }
  const words = quotedWords(request);
  const [first, second] = words;
  if (REMOVE.test(request)) {
    const removed = first !== undefined && quoted.includes(first) ? first : quoted;
    write(path, without(text, removed, text.indexOf(quoted)));
    return `I removed “${excerpt(removed)}” from ${path}.`;
  }
  if (SHORTEN.test(request)) {
    const short = shortened(quoted);
    if (short === quoted) {
      return `I changed nothing in ${path}, because I know no shorter way to say “${excerpt(quoted)}”.`;
    }
    write(
      path,
      text.replace(quoted, () => short),
    );
    return `I shortened “${excerpt(quoted)}” in ${path}.`;
  }
  if (REPLACE.test(request) && second !== undefined && quoted.includes(first)) {
    write(
      path,
      text.replace(quoted, () => quoted.replaceAll(first, () => second)),
    );
    return `I replaced “${excerpt(first)}” with “${excerpt(second)}” in ${path}.`;
  }
  const edit = STATED.test(request)
    ? undefined
    : SAMPLE_EDITS.find((each) => isNew(each) && isAbout(each.changes[0], path, quoted));
  return edit === undefined ? addSentence(path, quoted, request) : apply(edit);
}

/** Whether the edit's text was not edited before. */
function isNew({ changes: [{ path, before }] }) {
  return isPage(path) && read(path).includes(before);
}

/** Whether the quoted text contains the edit's text, or is a part of it. */
function isAbout({ path, before }, quotedPath, quoted) {
  return path === quotedPath && (quoted.includes(before) || before.includes(quoted));
}

function apply({ changes }) {
  const done = changes.filter(({ path, before }) => isPage(path) && read(path).includes(before));
  for (const { path, before, after } of done) {
    write(
      path,
      read(path).replace(before, () => after),
    );
  }
  return `I ${[...new Set(done.map(({ did }) => did))].join(', and ')}.`;
}

/** A follow-up that asks for something shorter means what was written for the earlier messages. */
function shortenOwnWork() {
  const own = SAMPLE_EDITS.flatMap(({ changes }) => changes).filter(
    ({ path, after, short }) => short !== undefined && isPage(path) && read(path).includes(after),
  );
  for (const { path, after, short } of own) {
    write(
      path,
      read(path).replace(after, () => short),
    );
  }
  const where = [...new Set(own.map(({ path }) => path))].join(' and ');
  return own.length === 0
    ? 'I changed nothing, because I don’t know which text you mean. Comment on the line to shorten.'
    : `I shortened what I had written in ${where}.`;
}

/** Without known words, parentheses and filler words go first, then the last part of the sentence. */
function shortened(quoted) {
  const known = SAMPLE_EDITS.flatMap(({ changes }) => changes)
    .filter(({ after, short }) => short !== undefined && quoted.includes(after))
    .reduce((text, { after, short }) => text.replace(after, () => short), quoted);
  if (known !== quoted) {
    return known;
  }
  const tight = quoted
    .replace(/ \([^()]*\)/g, '')
    .replace(/ (?:very|really|simply|just|basically|actually)(?= )/g, '')
    .replace(/\bin order to\b/g, 'to');
  return tight === quoted ? quoted.replace(/(?:, [^,.\n]+|(?<=[.!?]) [^.\n]+)(?=[.!?]?$)[.!?]?$/, dropped) : tight;
}

/** What remains of the last part: the sentence's end, unless the part was a sentence of its own. */
function dropped(part) {
  return part.startsWith(',') && /[.!?]$/.test(part) ? part.slice(-1) : '';
}

function addSentence(path, quoted, request) {
  const [, stated] = STATED.exec(request) ?? [];
  const words = (stated ?? request).replace(/\s+/g, ' ').trim() || 'This text was selected without an instruction';
  const ended = /[.!?]$/.test(words) ? words : `${words}.`;
  const sentence = stated === undefined ? `Note: ${ended}` : ended[0].toUpperCase() + ended.slice(1);
  const text = read(path);
  const end = endOfBlock(text, text.indexOf(quoted) + quoted.length);
  write(path, text.slice(0, end.at) + end.gap + sentence + text.slice(end.at));
  return `I added the sentence “${excerpt(sentence)}” after “${excerpt(quoted)}” in ${path}.`;
}

/** Where a sentence can follow: at once in prose, after a heading or a table row as a paragraph, and after code. */
function endOfBlock(text, from) {
  const lineEnd = (at) => (text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at));
  const fences = text.slice(0, from).match(/^ {0,3}```/gm) ?? [];
  if (fences.length % 2 === 1) {
    const close = text.indexOf('\n```', from);
    return { at: close === -1 ? text.length : lineEnd(close + 1), gap: '\n\n' };
  }
  const line = text.slice(text.lastIndexOf('\n', from - 1) + 1, lineEnd(from));
  const isProse = !/^ {0,3}(#|\||```)/.test(line);
  const isEnd = /[.!?:]$/.test(text.slice(0, from)) || lineEnd(from) === from;
  return isProse && isEnd ? { at: from, gap: ' ' } : { at: lineEnd(from), gap: isProse ? ' ' : '\n\n' };
}

/** Adds to the page that the instruction names, or to the last existing one of the sample. */
function addSection(instruction) {
  const named = /(?:^|[\s"'`(])((?:[\w.-]+\/)*[\w-][\w.-]*\.md)\b/.exec(instruction.slice(0, 10_000))?.[1];
  const path = [named, 'docs/getting-started.md', 'README.md'].find((each) => each !== undefined && isPage(each));
  const title = titleOf(instruction);
  const body = 'The demo agent added this section because it has no rule for the prompt. A real agent would write it.';
  const before = path === undefined ? '' : `${read(path).trimEnd()}\n\n`;
  write(path ?? 'README.md', `${before}## ${title}\n\n${body}\n`);
  return `I have no rule for this prompt, so I added a short section named “${title}” to ${path ?? 'README.md'}.`;
}

/** The first line without markup and without a word such as “document”; at most 60 characters. */
function titleOf(instruction) {
  const line = instruction.split('\n', 1)[0].replace(/[#`*_<>[\]|\\]/g, '');
  const words = line.replace(/^(please |)(document|describe|explain|write about) (the |our |)/i, '').trim();
  const title = excerpt(words.replace(/[.:!?]+$/, '')) || 'Documentation';
  return title[0].toUpperCase() + title.slice(1);
}

/** Removes words that start at or after `from`; lines that this leaves empty go too. */
function without(text, words, from) {
  const at = text.indexOf(words, from);
  const [before, after] = [text.slice(0, at), text.slice(at + words.length)];
  const isWholeLine = /(^|\n)$/.test(before) && /^(\n|$)/.test(after);
  if (!isWholeLine) {
    // A comma or a space before the words goes with them, unless the sentence goes on.
    const gap = words.endsWith(' ') ? before : before.replace(/ $/, '');
    const seam = /^[.!?,;:]/.test(after) ? before.replace(/,? *$/, '') : gap;
    return /(^|\n)$/.test(before) ? before + after.replace(/^ /, '') : seam + after;
  }
  const isParagraph = /(^|\n\n)$/.test(before) && /^(\n\n|\n?$)/.test(after);
  const joined = before + after.slice(isParagraph ? 2 : 1);
  return `${joined.trimEnd()}\n`;
}

/** The words in double quotation marks. */
function quotedWords(text) {
  return [...text.slice(0, 10_000).matchAll(/[“„"]([^“”„"\n]+)[”“"]/g)].map((match) => match[1]);
}

/** One line without a list mark, cut after a word. */
function excerpt(text) {
  const line = text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^[-*] /, '');
  return line.length <= 60 ? line : `${line.slice(0, 60).replace(/[\s,;:]+\S*$/, '')}…`;
}

/** Whether this is a Markdown file in the working folder. */
function isPage(path) {
  return (
    path.endsWith('.md') &&
    existsSync(path) &&
    !/^(\.\.|[/\\]|\w:)/.test(relative(realpathSync('.'), realpathSync(path)))
  );
}

function read(path) {
  return readFileSync(path, 'utf8');
}

function write(path, text) {
  writeFileSync(path, text);
}

await main();
