// Makes two libraries smaller that come as one file each, in which the bundler finds little to leave out. What we use of
// them stays as it is; the build fails when what is left out is no longer where it was.
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { edited, parsed, valuesIn, withUsedValuesOnly } from './leanSource.mjs';

const FILES = {
  // Not the schemas for YAML 1.1, nor what writes.
  'node_modules/js-yaml/dist/js-yaml.mjs': withUsedValuesOnly,
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

/** Leaves out of secretlint what no rule that we run needs, and the sentences and addresses of the rules: we have our own. */
function onlyUsedRules(text) {
  const file = parsed(text);
  const values = valuesIn(file);
  const valueOf = (wanted) => values.find(({ name }) => name === wanted)?.value;
  const unused = values.filter(({ value }) => UNUSED_RULES.test(value.getText())).map(({ name }) => name);
  const reader = valueOf('regexpStringMatcherExports');
  const rules = valueOf('rules');
  const used = rules?.elements?.map((rule) => rule.getText()).filter((name) => !unused.includes(name));
  const isSaid = ({ name }) => ['en', 'url'].includes(name?.getText());
  const said = objectsIn(file).filter(({ properties }) => properties.some(isSaid));
  if (reader === undefined || used?.length !== rules?.elements?.length - 2 || said.length === 0) {
    throw new Error('secretlint is put together in another way: see leanLibraries.mjs');
  }
  return edited(file, [
    [reader, NOTHING_ALLOWED],
    [rules, `[${used.join(', ')}]`],
    ...said.map((each) => [each, '{}']),
  ]);
}

function objectsIn(node) {
  const within = [];
  ts.forEachChild(node, (child) => void within.push(...objectsIn(child)));
  return ts.isObjectLiteralExpression(node) ? [node, ...within] : within;
}
