import { fillIn, truncateWithEllipsis } from '../base/text';
import type { CommitInfo, Finding, NotCheckedReason } from './finding';

/**
 * Everything that a finding can say, a sentence each. The English is also the key for translations. Foreign text is in
 * quotation marks where people would expect them; Markdown has code font instead.
 */
export const FINDING_TEXTS = {
  gone: '“{name}” is no longer in the code.',
  default: 'The default of “{name}” is {current}, not {documented}.',
  unknown: '“{name}” isn’t in the code, its history, or its dependencies.',
  notFound: '“{name}” was not found in the code.',
  link: 'The link “{target}” doesn’t lead to a file.',
  anchor: 'The link “{target}” leads to a page without this heading.',
  image: 'The image “{target}” doesn’t exist.',
  code: 'This block isn’t valid {language}: {message}',
  removed: 'Removed in {commit} (“{subject}”).',
  changed: 'Changed in {commit} (“{subject}”).',
  replaced: 'Probably replaced by “{successor}”.',
  likely: 'This isn’t certain.',
} as const;

/** What a check has not looked at, likewise. */
export const COVERAGE_TEXTS: Readonly<Record<NotCheckedReason, string>> = {
  shallow:
    'The clone is shallow: without its full history, removed names can’t be distinguished from names that were never in the code. Run “git fetch --unshallow” and check again.',
  time: 'The time limit was reached before everything was checked.',
  commits: 'Older commits that weren’t searched: {count}.',
  files: 'Files that weren’t read because there are too many: {count}.',
  size: 'Pages that are too long to check: {count}.',
  'not-utf8': 'Pages that aren’t UTF-8 text: {count}.',
  submodule: 'Submodules that weren’t searched: {count}.',
};

interface Said {
  code: keyof typeof FINDING_TEXTS;
  params: Readonly<Record<string, string>>;
}

/** Enough to find a commit in any repository. */
const HASH_LENGTH = 10;

/** What a finding says: what is wrong, what is right instead, and since when. */
export function describe(finding: Finding): Said[] {
  const evidence = 'evidence' in finding ? finding.evidence : null;
  const successor = 'successor' in finding ? finding.successor : null;
  return [
    statement(finding),
    // First, because the Problems view cuts off long messages.
    ...(successor === null ? [] : [{ code: 'replaced', params: { successor } } as const]),
    ...(evidence === null ? [] : [cause(finding.rule === 'changed-default' ? 'changed' : 'removed', evidence.commit)]),
    ...(finding.certainty === 'certain' || finding.rule === 'unknown-name'
      ? []
      : [{ code: 'likely', params: {} } as const]),
  ];
}

function cause(code: 'changed' | 'removed', { commit, subject }: CommitInfo): Said {
  return { code, params: { commit: commit.slice(0, HASH_LENGTH), subject } };
}

function statement(finding: Finding): Said {
  switch (finding.rule) {
    case 'gone-name':
      return { code: 'gone', params: { name: finding.name } };
    case 'changed-default': {
      const { name, current, documented } = finding;
      return { code: 'default', params: { name, current, documented } };
    }
    case 'unknown-name':
      return { code: finding.certainty === 'certain' ? 'unknown' : 'notFound', params: { name: finding.name } };
    case 'broken-link':
      return { code: finding.problem === 'file' ? 'link' : 'anchor', params: { target: finding.target } };
    case 'missing-image':
      return { code: 'image', params: { target: finding.target } };
    case 'invalid-code': {
      const { language, message } = finding;
      return { code: 'code', params: { language: language.toUpperCase(), message } };
    }
  }
}

/**
 * A finding in words, on one line.
 *
 * @param show makes a foreign text fit for the place that shows it
 * @param translate inserts the values into a text, in the reader's language
 */
export function sayFinding(
  finding: Finding,
  show: (text: string) => string,
  translate: (text: string, values: Readonly<Record<string, string>>) => string = fillIn,
): string {
  return describe(finding)
    .map(({ code, params }) => {
      const values = Object.entries(params).map(([name, text]) => [name, show(text)] as const);
      return translate(FINDING_TEXTS[code], Object.fromEntries(values));
    })
    .join(' ');
}

/** Foreign text for a line of a terminal or a report. */
export const shortened = (text: string): string => truncateWithEllipsis(text, 200);

/** A finding in Markdown, in English. @param toCode puts a foreign text in code font, which it can't end */
export function sayInMarkdown(finding: Finding, toCode: (text: string) => string): string {
  return sayFinding(finding, toCode, (text, values) => fillIn(text.replaceAll(/“(\{\w+\})”/g, '$1'), values));
}
