import { CORE_SCHEMA, defineMappingTag, defineScalarTag, defineSequenceTag, loadAll, realMapTag } from 'js-yaml';
import { parse as parseToml } from 'smol-toml';
import { MAX_PARAGRAPH } from '../base/limits';
import type { Finding } from './finding';
import type { CodeBlock } from './pages/page';

type InvalidCode = Extract<Finding, { rule: 'invalid-code' }>;

/** Placeholders for parts that were left out: a block with one isn't meant to be complete. */
const LEFT_OUT = /\.\.\.|…|<[A-Za-z][\w -]*>|\{\{|\$\{|\{%|^[ \t]*[-+][ \t]{2}/m;

/** What the parsers say about a block that is nested too deeply to be read to its end, so it may be valid. */
const TOO_DEEP = /^nesting exceeded maxDepth|excessively nested|^Maximum call stack/;

/** Accepts tags of other programs, such as `!Ref`, and keys of any type: what a tag means isn't for a reader to say. */
const YAML_SCHEMA = CORE_SCHEMA.withTags(
  realMapTag,
  defineScalarTag('', { matchByTagPrefix: true, resolve: (source) => source, identify: () => false }),
  defineSequenceTag('', { matchByTagPrefix: true, create: () => [], addItem: () => undefined, identify: () => false }),
  defineMappingTag('', { ...realMapTag, matchByTagPrefix: true }),
);

const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  json: (text) => JSON.parse(text) as unknown,
  yaml: (text) => loadAll(text, { schema: YAML_SCHEMA }),
  yml: (text) => loadAll(text, { schema: YAML_SCHEMA }),
  toml: (text) => parseToml(text),
};

/** Returns what is wrong with a JSON, YAML, or TOML block; undefined when it can be read, or isn't such a block. */
export function checkCodeBlock(block: CodeBlock, path: string): InvalidCode | undefined {
  const parse = Object.hasOwn(PARSERS, block.language) ? PARSERS[block.language] : undefined;
  const { text } = block;
  if (parse === undefined || text.length > MAX_PARAGRAPH || text.trim() === '' || LEFT_OUT.test(text)) {
    return undefined;
  }
  // Comments are common in examples of configuration files whose programs allow them.
  if (block.language === 'json' && /^[ \t]*(?:\/\/|\/\*)|,[ \t]{0,99}\/\//m.test(text)) {
    return undefined;
  }
  try {
    parse(text);
    return undefined;
  } catch (error) {
    const { message, line } = describe(error, text);
    if (TOO_DEEP.test(message)) {
      return undefined;
    }
    const lines = text.trimEnd().split('\n');
    const at = Math.min(line, lines.length - 1);
    const place = { path, line: block.line + at, column: 1, endColumn: (lines[at]?.length ?? 0) + 1 };
    return { rule: 'invalid-code', place, language: block.language, message, certainty: 'certain' };
  }
}

/** The first line of a parser's message, and the 0-based line that it refers to. */
function describe(error: unknown, text: string): { message: string; line: number } {
  const { message, mark, line } = error as { message: string; mark?: { line?: number }; line?: number };
  const position = /at position (\d+)/.exec(message)?.[1];
  // The rest of this message quotes the block, and may contain a line break.
  const [first = ''] = /^Unexpected token '.{1,2}'(?=, )/.exec(message) ?? message.split('\n', 1);
  const at = position === undefined ? undefined : text.slice(0, Number(position)).split('\n').length - 1;
  return { message: first.slice(0, 200), line: Math.max(0, at ?? mark?.line ?? (line === undefined ? 0 : line - 1)) };
}
