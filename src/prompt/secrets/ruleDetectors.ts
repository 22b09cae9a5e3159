import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { detectKeys } from './detectKeys';
import { detectLikely } from './detectLikely';
import type { Detector, Secret } from './secret';

/** The interface that the library's rules require, and their results. */
interface Rule {
  meta: { id: string };
  messages: Readonly<Record<string, unknown>>;
  create: (context: RuleContext, options: object) => { file?: (source: RuleSource) => unknown };
}

interface RuleContext {
  createTranslator: () => (id: string, values?: Readonly<Record<string, unknown>>) => RuleMessage;
  report: (found: { message: RuleMessage; range: readonly [number, number] }) => void;
  ignore: () => void;
}

/** A rule's finding, and the text in question. */
interface RuleMessage {
  id: string;
  values: readonly string[];
}

interface RuleSource {
  content: string;
  filePath: string;
  ext: string;
  contentType: 'text';
}

/** Left out: a comment in a prompt must not suppress findings, and Google's rule expects files, not prompts. */
const LEFT_OUT = /-(filter-comments|gcp)$/;

/** The token in an npm configuration. The library's rule requires that file name, and matches the whole line. */
const NPM_TOKEN = /(?<=_authToken=["']?)[A-Za-z0-9+/=_.-]{8,}/g;

/** Also report key ids and account numbers. Rules without this option ignore it. */
const OPTIONS = { enableIDScanRule: true };

/**
 * One detector for each rule of secretlint's recommended set (https://github.com/secretlint/secretlint), and detectors
 * for what these rules miss in a prompt.
 */
export function ruleDetectors(): Detector[] {
  return [
    ...usedRules().map((rule) => (content: string) => run(rule, content)),
    detectKeys,
    detectNpmTokens,
    detectLikely,
  ];
}

function detectNpmTokens(content: string): Secret[] {
  const found = content.matchAll(NPM_TOKEN);
  return [...found].map(({ 0: token, index }) => ({
    kind: 'Npmrc_authToken',
    start: index,
    end: index + token.length,
  }));
}

/** All kinds that the rules can report. */
export function ruleKinds(): string[] {
  return usedRules().flatMap(({ messages }) => Object.keys(messages));
}

function usedRules(): Rule[] {
  return (rules as unknown as readonly Rule[]).filter(({ meta }) => !LEFT_OUT.test(meta.id));
}

async function run(rule: Rule, content: string): Promise<Secret[]> {
  const found: Secret[] = [];
  const context: RuleContext = {
    createTranslator: () => (id, values) => ({ id, values: textsOf(values) }),
    report: ({ message, range }) => found.push(placed(content, message, range)),
    ignore: () => undefined,
  };
  await rule.create(context, OPTIONS).file?.({ content, filePath: '/prompt.md', ext: '.md', contentType: 'text' });
  return found;
}

/**
 * Some rules return the position of the text before the secret, with the secret's length. Searching for the value
 * corrects that.
 */
function placed(content: string, { id, values }: RuleMessage, [start, end]: readonly [number, number]): Secret {
  const [value] = values.toSorted((a, b) => b.length - a.length);
  const right = value === undefined || values.includes(content.slice(start, end));
  const at = right ? -1 : content.indexOf(value, start);
  return right || at === -1 ? { kind: id, start, end } : { kind: id, start: at, end: at + value.length };
}

function textsOf(values: Readonly<Record<string, unknown>> = {}): string[] {
  return Object.values(values).filter((value): value is string => typeof value === 'string' && value !== '');
}
