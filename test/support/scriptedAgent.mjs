// A scripted stand-in for a documentation agent: no model, no network. It reads a prompt from standard input and edits
// Markdown files in its working folder, by rules simple enough for tests to predict the result:
//
//   a path that ends in .md in the prompt      adds a section to that file, and creates it if it is missing
//   else the words of the first line           adds it to docs/<words>.md, and a link to README.md or docs/index.md
//   [scripted: fail]                           prints the reason to standard error and exits with code 1
//   [scripted: wait 2000]                      waits this many milliseconds first
//   [scripted: until /a/file]                  waits first until that file exists; fails once its folder is gone
//   [scripted: change nothing]                 succeeds without an edit
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, posix, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const SMALL_WORDS = new Set(
  'a an and add all as at be by describe document explain for from how improve in is it its of on or our please section that the this to update which with write you your'.split(
    ' ',
  ),
);

async function main() {
  const message = newestMessage(readFileSync(0, 'utf8'));
  const directives = [...message.matchAll(/\[scripted: ([^\]]+)\]/g)].map((match) => match[1].trim());
  const instruction = message.replace(/\[scripted: [^\]]+\]/g, '').trim();
  for (const directive of directives) {
    const wait = /^wait (\d+)$/.exec(directive);
    if (wait) {
      console.log(`waiting ${wait[1]} ms`);
      await delay(Number(wait[1]));
    } else if (directive.startsWith('until ')) {
      await untilThere(directive.slice('until '.length));
    } else if (directive === 'fail') {
      console.error('The scripted agent was told to fail.');
      process.exit(1);
    } else if (directive === 'change nothing') {
      console.log('nothing to change');
      return;
    } else {
      console.error(`The scripted agent does not know “${directive}”.`);
      process.exit(2);
    }
  }
  write(instruction);
}

async function untilThere(file) {
  console.log(`waiting for ${file}`);
  while (!existsSync(file)) {
    if (!existsSync(dirname(file))) {
      console.error('The scripted agent waits for a file whose folder is gone.');
      process.exit(1);
    }
    await delay(50);
  }
}

/** The last part of what the service sends with a follow-up. */
function newestMessage(text) {
  const mark = '--- New message ---\n';
  const at = text.lastIndexOf(mark);
  return at === -1 ? text : text.slice(at + mark.length);
}

function write(instruction) {
  const title = titleOf(instruction);
  const named = /(?:^|[\s"'`(])((?:[\w.-]+\/)*[\w-][\w.-]*\.md)\b/.exec(instruction)?.[1];
  const file = named ?? `docs/${slugOf(title)}.md`;
  if (isAbsolute(file) || relative('.', resolve(file)).startsWith('..')) {
    console.error(`The scripted agent does not write outside its folder: ${file}`);
    process.exit(1);
  }
  const isNew = !existsSync(file);
  const before = isNew ? '' : `${readFileSync(file, 'utf8').trimEnd()}\n\n`;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    `${before}${isNew ? '#' : '##'} ${title}\n\nWritten for this instruction:\n\n${fenced(instruction)}\n`,
  );
  console.log(`${isNew ? 'wrote' : 'extended'} ${file}`);
  if (isNew) {
    link(file, title);
  }
}

/** The instruction's first line as a heading: no markup, first letter large, at most 80 characters. */
function titleOf(instruction) {
  const line =
    instruction
      .split('\n')[0]
      .replace(/[#`*_<>[\]|\\]/g, '')
      .replace(/[.:!?\s]+$/, '')
      .trim() || 'Documentation';
  const words = line.replace(/^(please |)(document|describe|explain|write about) (the |our |)/i, '');
  return (words[0].toUpperCase() + words.slice(1)).slice(0, 80);
}

function slugOf(title) {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const telling = words.filter((word) => !SMALL_WORDS.has(word));
  return (telling.length > 0 ? telling : ['notes']).slice(0, 5).join('-');
}

/** A fence is longer than any run of backticks in its content (CommonMark, 4.5). */
function fenced(text) {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}`;
}

function link(file, title) {
  const index = ['docs/index.md', 'README.md'].find((each) => existsSync(each) && each !== file);
  if (index === undefined) {
    return;
  }
  const path = posix.relative(posix.dirname(index), file.replaceAll('\\', '/'));
  writeFileSync(index, `${readFileSync(index, 'utf8').trimEnd()}\n- [${title}](${path})\n`);
  console.log(`linked it in ${index}`);
}

await main();
