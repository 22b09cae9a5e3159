import type { NameOnPage } from './collectNames';
import { type ClassifiedName, classifyName, namesInCommand } from './names';
import type { CodeBlock, Page } from './pages/page';

export const SHELL =
  /^(?:sh|bash|shell|zsh|fish|console|powershell|pwsh|ps1?|shell-?session|terminal|cmd|bat|batch|dosbatch|cli|docker|dockerfile)$/;
const DATA = /^(?:ya?ml|toml|json[5c]?|ini|properties|env|dotenv|cfg|conf|config|hcl|tf|terraform)$/;
const NO_CODE =
  /^(?:te?xt|plain|plaintext|output|log|none|mermaid|math|latex|tex|markdown|md|mdx|rst|asciidoc|csv|svg)$/;
/** Longer blocks and lines are data. */
const MAX_BLOCK = 50_000;
const MAX_LINE = 500;

const PROMPT = /^\s*(?:[$%❯]|PS[^>]{0,60}>|[\w.~@/-]{0,40}\$|[\w.~@/-]{1,40}#|>>>|\.\.\.)\s/;
const COMMENT = /^\s*(?:\/\/|#(?![[!]|include|define|if)|\*|\/\*|--\s|<!--|;|%|"""|''')/;
const COMMENT_BEHIND = /\s(?:\/\/|#)\s.*/;
/** A string; with a space, it is mostly a sentence. */
const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;
const KEY = /^\s*(?:-\s+)*["']?([A-Za-z_][\w.-]{2,99})["']?\s*[:=](?!=)|^\s*\[{1,2}([A-Za-z_][\w.-]{2,99})\]/g;
const JSON_KEY = /"([A-Za-z_][\w.-]{2,99})"\s*:/g;
const FLAG_OR_VARIABLE = /(?<![\w-])(?:--[a-z][\w-]{2,99}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\w-])/g;
/** A structured word, a type, a call, or a string with hyphens. */
const IDENTIFIER =
  /(?<![\w$-])(?:(?=\w{0,99}(?:[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9])|\w{1,99}\(|[A-Z][a-z])[A-Za-z_]\w{2,99}|(?<=["'`])[A-Za-z_]\w*(?:-\w+)+)(?![\w-])/g;
/** A name that an example declares by its first use: assigned, imported as, or the variable of a loop. */
const DECLARED =
  /^[ \t]*([A-Za-z_]\w{2,99})[ \t]+:?=[ \t]|^[ \t]*(?:import|from|use)\b[^\n]{0,300}\bas[ \t]+([A-Za-z_]\w{2,99})|\bfor[ \t]+\(?([A-Za-z_]\w{2,99})/gm;

/**
 * The names in the code blocks of a page, with their exact places, each once in a block. Comments, output, and removed
 * lines have none.
 *
 * @param declared what the examples declare themselves
 */
export function namesInBlocks(
  { blocks, lines }: Pick<Page, 'blocks' | 'lines'>,
  path: string,
  declared: ReadonlySet<string>,
): NameOnPage[] {
  const local = new Set(declared);
  for (const { language, text } of blocks) {
    for (const [, assigned, alias, variable] of isCode(language) ? text.slice(0, MAX_BLOCK).matchAll(DECLARED) : []) {
      local.add(assigned ?? alias ?? variable ?? '');
    }
  }
  return blocks.flatMap((block) => {
    const names = new Map<string, NameOnPage>();
    const code = block.text.split('\n');
    for (const [at, name] of block.text.length > MAX_BLOCK ? [] : inBlock(block, code)) {
      const key = `${name.kind} ${name.name}`;
      const isLocal = name.kind !== 'flag' && name.role !== 'key' && local.has(name.groups.at(-1)?.[0] ?? '');
      if (!names.has(key) && !isLocal) {
        // Each line of the block is the end of a line of the page.
        const indent = (lines[block.line + at - 1]?.length ?? 0) - (code[at]?.length ?? 0);
        const column = indent + name.offset + 1;
        const place = { path, line: block.line + at, column, endColumn: column + name.name.length };
        names.set(key, { name: { ...name, inCommand: true }, source: 'block', ...place });
      }
    }
    return [...names.values()];
  });
}

function isCode(language: string): boolean {
  return !SHELL.test(language) && !DATA.test(language) && !NO_CODE.test(language);
}

type Found = [index: number, name: ClassifiedName];

function* inBlock({ language }: CodeBlock, code: readonly string[]): Iterable<Found> {
  const hasPrompts = (DATA.test(language) ? [] : code).some((line) => PROMPT.test(line));
  const isDiff = /^(?:diff|patch|udiff)$/.test(language);
  let command: { at: number; text: string } | undefined;
  for (const [at, whole] of code.entries()) {
    const prompt = hasPrompts ? (PROMPT.exec(whole)?.[0] ?? '') : '';
    const isContinued = command !== undefined;
    // What a program prints isn't said about the code.
    const isOutput = hasPrompts && prompt === '' && !isContinued;
    const start = prompt.length;
    const line =
      ' '.repeat(start) +
      whole.slice(start).replace(STRING, (text) => (text.includes(' ') ? ' '.repeat(text.length) : text));
    if (isOutput || whole.length > MAX_LINE || COMMENT.test(line) || (isDiff && line.startsWith('-'))) {
      continue;
    }
    if (SHELL.test(language) || (hasPrompts && !/^\s*(?:>>>|\.\.\.)/.test(prompt))) {
      command ??= { at, text: '' };
      command.text += `${line}\n`;
      if (!/[\\`^]\s*$/.test(line)) {
        yield* inShell(command);
        command = undefined;
      }
    } else if (DATA.test(language)) {
      yield* inData(language, line, at);
    } else if (!NO_CODE.test(language)) {
      const code = line.replace(COMMENT_BEHIND, '');
      yield* matching(FLAG_OR_VARIABLE, code, at);
      yield* matching(IDENTIFIER, code, at);
    }
  }
}

/** A command, which may span several lines. */
function* inShell({ at, text }: { at: number; text: string }): Iterable<Found> {
  let start = 0;
  for (const part of text.replace(/\s#\s[^\n]*/g, (comment) => ' '.repeat(comment.length)).split(/(?<=\|\|?|&&|;)\s/)) {
    for (const name of namesInCommand(part)) {
      const before = text.slice(0, start + name.offset).split('\n');
      yield [at + before.length - 1, { ...name, offset: before.at(-1)?.length ?? 0 }];
    }
    start += part.length + 1;
  }
}

function* inData(language: string, line: string, at: number): Iterable<Found> {
  for (const { 0: whole, 1: one, 2: section, index } of line.matchAll(language.startsWith('json') ? JSON_KEY : KEY)) {
    const key = one ?? section ?? '';
    const name = classifyName(key);
    if (name?.isPlain === false) {
      const offset = index + whole.indexOf(key) + name.offset;
      yield [at, { ...name, role: name.kind === 'variable' ? 'variable' : 'key', offset }];
    }
  }
  yield* matching(FLAG_OR_VARIABLE, line, at);
}

function* matching(pattern: RegExp, line: string, at: number): Iterable<Found> {
  for (const { 0: word, index } of line.matchAll(pattern)) {
    const isCall = pattern === IDENTIFIER && line.startsWith('(', index + word.length);
    const name = classifyName(isCall ? `${word}()` : word);
    if (name?.isPlain === false && (pattern === FLAG_OR_VARIABLE || name.kind === 'identifier')) {
      yield [at, { ...name, offset: index + name.offset }];
    }
  }
}
