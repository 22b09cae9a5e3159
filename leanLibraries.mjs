// Makes two libraries smaller that come as one file each, in which the bundler finds little to leave out. What we use of
// them stays as it is; the build fails when what is left out is no longer where it was.
import { readFileSync } from 'node:fs';
import ts from 'typescript';

const FILES = {
  'node_modules/js-yaml/dist/js-yaml.mjs': onlyUsedValues,
  'node_modules/@secretlint/secretlint-rule-preset-recommend/module/index.js': onlyUsedRules,
};

/** What is read instead of a file of a library; undefined where the file itself is. */
export function leaner(path) {
  const place = placeOf(path);
  return place === undefined ? undefined : FILES[place](readFileSync(path, 'utf8'));
}

/** For esbuild. */
export const leanLibraries = {
  name: 'lean libraries',
  setup({ onLoad, onEnd }) {
    const met = new Set();
    onLoad({ filter: /[\\/](js-yaml|secretlint-rule-preset-recommend)[\\/]/ }, ({ path }) => {
      met.add(placeOf(path));
      const contents = leaner(path);
      return contents === undefined ? undefined : { contents, loader: 'js' };
    });
    onEnd(() => {
      const lost = Object.keys(FILES).filter((place) => !met.has(place));
      return { errors: lost.map((place) => ({ text: `${place} is not read any more: see leanLibraries.mjs` })) };
    });
  },
};

function placeOf(path) {
  return Object.keys(FILES).find((place) => path.replaceAll('\\', '/').endsWith(`/${place}`));
}

/**
 * Says of the values that js-yaml makes when it is loaded that making them does nothing else: so the schemas for YAML 1.1
 * and for writing stay out, with what belongs to them.
 */
function onlyUsedValues(text) {
  const isPlain = (value) => ts.isFunctionLike(value) || ts.isClassLike(value) || ts.isLiteralExpression(value);
  return edited(text, (file) =>
    valuesIn(file)
      .filter(({ value }) => !isPlain(value))
      .map(({ value }) => [value, `/* @__PURE__ */ (() => (${value.getText()}))()`]),
  );
}

/** Stands in for secretlint's reader of patterns that a user allows, with which three parts of lodash come: none are given. */
const NOTHING_ALLOWED = `{
  matchPatterns: (text, allowed) => {
    if (allowed.length > 0) {
      throw new Error('patterns to be allowed are left out of this build of secretlint');
    }
    return [];
  },
}`;

/** The rules that ruleDetectors.ts does not run. */
const UNUSED_RULES = /\bid: "@secretlint\/secretlint-rule-(filter-comments|gcp)"/;

/** Leaves out of secretlint what no rule that we run needs, and the sentences of the rules: we have our own. */
function onlyUsedRules(text) {
  return edited(text, (file) => {
    const values = valuesIn(file);
    const valueOf = (wanted) => values.find(({ name }) => name === wanted)?.value;
    const unused = values.filter(({ value }) => UNUSED_RULES.test(value.getText())).map(({ name }) => name);
    const reader = valueOf('regexpStringMatcherExports');
    const rules = valueOf('rules');
    const used = rules?.elements?.map((rule) => rule.getText()).filter((name) => !unused.includes(name));
    const sentences = objectsIn(file).filter(({ properties }) =>
      properties.some(({ name }) => name?.getText() === 'en'),
    );
    if (reader === undefined || used?.length !== rules?.elements?.length - 2 || sentences.length === 0) {
      throw new Error('secretlint is put together in another way: see leanLibraries.mjs');
    }
    return [[reader, NOTHING_ALLOWED], [rules, `[${used.join(', ')}]`], ...sentences.map((each) => [each, '{}'])];
  });
}

/** The names at the top of a file, each with the value that it is given. */
function valuesIn(file) {
  return file.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .filter(({ initializer }) => initializer !== undefined)
    .map(({ name, initializer }) => ({ name: name.getText(), value: initializer }));
}

function objectsIn(node) {
  const within = [];
  ts.forEachChild(node, (child) => void within.push(...objectsIn(child)));
  return ts.isObjectLiteralExpression(node) ? [node, ...within] : within;
}

/** The text with other words in the place of parts of it. */
function edited(text, changes) {
  const file = ts.createSourceFile('library.js', text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS);
  return changes(file)
    .toSorted(([a], [b]) => b.pos - a.pos)
    .reduce((rest, [node, words]) => rest.slice(0, node.getStart()) + words + rest.slice(node.end), text);
}
