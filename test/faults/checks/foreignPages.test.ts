import { strictEqual } from 'node:assert/strict';
import { checkCodeBlock } from '../../../src/checks/codeBlocks';
import { anchorsOf, checkLink, LinkIndex, linkReader } from '../../../src/checks/links';
import { defaultsOnPage } from '../../../src/checks/defaultsOnPage';
import { literalsOf } from '../../../src/checks/literals';
import { globMatcher, readConfiguration } from '../../../src/checks/configuration';
import { declaredInExamples, definedInExamples } from '../../../src/checks/collectNames';
import { checkMintlify } from '../../../src/checks/mintlify';
import { classify, wordsOf } from '../../../src/checks/names';
import { hasOwnName, isDefined, splitImports } from '../../../src/checks/ownNames';
import type { Page } from '../../../src/checks/pages/page';
import { isGenerated, pastLines, pastSentences, readPage, speaksOfThePast } from '../../../src/checks/pages/readPage';
import { isLeftOutPage } from '../../../src/checks/paths';
import { readAddedLines } from '../../../src/checks/repository/gitRepository';
import { hunksWith, likeness, successorIn } from '../../../src/checks/successors';
import { WordTable } from '../../../src/checks/wordTable';
import { fixRequest } from '../../../src/extension/features/job-page/resultCheckModel';
import { findingForAgent, findingMessage } from '../../../src/extension/presentation/findingMessage';
import { addIgnoredName } from '../../../src/extension/features/checks/ignoreFinding';
import { placeTexts } from '../../../src/extension/features/checks/textPlaces';
import { renderFindings } from '../../../src/prompt/findings';
import { brokenLink, evidenceOf, goneName, invalidCode, place } from '../../support/findings';
import { type Row, slowness } from '../../support/slowTexts';

const LINKS = {
  read: linkReader({ hosts: [{ host: 'github.com', path: 'owner/name' }], branches: [] }),
  index: new LinkIndex(['docs/b.md']),
  anchors: () => Promise.resolve(() => false),
};

const mintlifySite = (texts: Record<string, string>) =>
  checkMintlify(
    Object.keys(texts).map((path) => ({ path, id: path, size: 1 })),
    async function* (ids) {
      yield* await Promise.resolve(ids.map((id) => new TextEncoder().encode(texts[id])));
    },
  );

/** What the documentation check reads, and what the editor reads of its results; see `foreignText.test.ts`. */
const ROWS: Readonly<Record<string, Row | Row['run']>> = {
  // Pages are read in a separate process that nobody waits for, so this only limits how the time grows.
  'readPage of Markdown': {
    bound: 40_000,
    begins: ['', '---\n', '| a |\n|---|\n', '| a |\n|---|\n| \\|'],
    run: (text) => readPage(text, 'markdown'),
  },
  'readPage of MDX': { bound: 40_000, begins: ['', '<a '], run: (text) => readPage(text, 'mdx') },
  'readPage of AsciiDoc': (text) => readPage(text, 'asciidoc'),
  'readPage of reStructuredText': (text) => readPage(text, 'restructuredText'),
  'pastLines and anchors of a page': (text) => {
    const headings = text.split('\n', 5_000).map((heading, line) => ({ line, level: (line % 6) + 1, text: heading }));
    const page: Page = {
      format: 'markdown',
      lines: text.split('\n', 5_000),
      spans: [],
      headings,
      links: [],
      blocks: [],
      tables: [],
      ids: [],
    };
    return [pastLines(page)(1), anchorsOf(page)];
  },
  speaksOfThePast,
  'pastSentences of a page': (text) => {
    const isPast = pastSentences({ lines: ['It was removed', text, 'It was removed'] });
    return Array.from({ length: 1_000 }, (_, at) => isPast({ line: 2, column: 100 * at }));
  },
  'names in past code': {
    begins: ['', 'import {', 'maxRetryCount('],
    run: (text) => {
      const { code } = splitImports([...text.split('\n'), ...(text.match(/[^]{1,2000}/g) ?? [])]);
      return (['flag', 'variable'] as const).map(
        (kind) => hasOwnName('src/a.ts', code, 'a', { kind, isPlain: true }) && isDefined(code, 'a'),
      );
    },
  },
  isGenerated,
  'names in examples': {
    begins: ['', 'const a = 1;\ndef abc('],
    run: (text) => [
      declaredInExamples([text, ...text.split('\n')]),
      definedInExamples({ blocks: [{ language: '', text, line: 1, column: 1 }] }),
    ],
  },
  classify: { begins: ['', '--', 'a.'], run: (text) => [classify(text), classify(text.slice(0, 300))] },
  wordsOf,
  isLeftOutPage: { bound: 4_096, run: isLeftOutPage },
  'globMatcher of a path': { bound: 4_096, run: (path) => globMatcher(['**/*a*b/**/*c*', path.slice(0, 200)])(path) },
  readConfiguration: { begins: ['', '{"ignore":["'], run: (text) => errorOf(() => readConfiguration(text)) },
  'defaultsOnPage of Markdown': {
    bound: 40_000,
    begins: ['', '`a` default: `5` ', '| a | Default |\n|---|---|\n| '],
    run: (text) => defaultsOnPage(readPage(text, 'markdown'), 'a.md'),
  },
  'literalsOf a name': { bound: 1_500, begins: ['', 'a = '], run: (text) => literalsOf(text, 0, 1) },
  'WordTable.scan': {
    begins: ['', 'a-b_', '----'],
    run: (text) => {
      const table = new WordTable();
      ['a', 'a-b', 'a-b-'].forEach((word) => table.add(word));
      table.scan(Buffer.from(text), () => undefined);
    },
  },
  'hunksWith a word': (text) => hunksWith('a', text.match(/[^]{1,400}/g) ?? [], text.match(/[^]{1,399}/g) ?? []),
  'successorIn a hunk': (text) => {
    const added = text.match(/[^]{1,2000}/g) ?? [];
    return successorIn('maxRetryCount', { deleted: ['let maxRetryCount;'], added }, () => true);
  },
  'successorIn a hunk of many lines': (text) => {
    const added = text.match(/[^]{1,400}/g) ?? [];
    return successorIn('maxRetryCount', { deleted: added.map((line) => `maxRetryCount ${line}`), added }, () => true);
  },
  likeness: { bound: 2_000, run: (text) => likeness(text, `${text}a`) },
  checkLink: (target) => checkLink({ target, kind: 'link', line: 1, column: 1, endColumn: 2 }, 'docs/a.md', LINKS),
  'checkLink on a page that is deep in folders': {
    bound: 4_096,
    run: (path) => checkLink({ target: '/a/b.md', kind: 'link', line: 1, column: 1, endColumn: 2 }, path, LINKS),
  },
  'checkMintlify of a page': {
    bound: 40_000,
    begins: ['', '## ', '<a ', "import '", '---\nopenapi: '],
    run: (text) => mintlifySite({ 'docs.json': '{ "navigation": [] }', 'a.mdx': text, '.mintignore': text }),
  },
  'checkCodeBlock of JSON': {
    bound: 20_000,
    begins: ['', '['],
    run: (text) => checkCodeBlock(blockOf('json', text), 'a'),
  },
  'checkCodeBlock of YAML': {
    bound: 20_000,
    begins: ['', 'a: '],
    run: (text) => checkCodeBlock(blockOf('yaml', text), 'a'),
  },
  'checkCodeBlock of TOML': {
    bound: 20_000,
    begins: ['', 'a = '],
    run: (text) => checkCodeBlock(blockOf('toml', text), 'a'),
  },
  readAddedLines: { begins: ['', '@@ -1 +1 @@\n+', '+++ "b/'], run: (text) => readAddedLines(text.split('\n')) },
  'findingMessage of a commit': (subject) => findingMessage(goneName({ evidence: evidenceOf(subject) })),
  'findingMessage of a link': (target) => findingMessage(brokenLink({ target })),
  fixRequest: {
    bound: 5_000,
    run: (text) => fixRequest([invalidCode({ place: place(text, 1), language: text, message: text })], 1),
  },
  'placeTexts on a page': (text) => {
    const wanted = text.slice(0, 4);
    const place = { line: 50, start: 0, end: 4 };
    return placeTexts(
      text.split('\n'),
      Array.from({ length: 2_000 }, () => ({ text: wanted, place })),
    );
  },
  'renderFindings with findingForAgent': {
    bound: 5_000,
    run: (path) => {
      const each = {
        path,
        line: 1,
        what: 'outdated name',
        text: findingForAgent(goneName({ evidence: evidenceOf(path) })),
      };
      return renderFindings([each, { ...each, line: 2 }]);
    },
  },
  addIgnoredName: {
    bound: 5_000,
    run: (text) => addIgnoredName(JSON.stringify({ code: text.match(/[^]{1,100}/g) }), 'a', 'b'),
  },
};

function blockOf(language: string, text: string): Parameters<typeof checkCodeBlock>[0] {
  return { language, text, line: 1, column: 1 };
}

function errorOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe('documentation and code crafted to be slow to check', function () {
  // Measures processor time, because wall time can be much longer on a busy machine.
  for (const [name, row] of Object.entries(ROWS)) {
    it(`is processed quickly by ${name}`, async () => {
      strictEqual(await slowness(typeof row === 'function' ? { run: row } : row), undefined);
    });
  }
});
