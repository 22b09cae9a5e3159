// Makes what TypeScript calls private so in JavaScript too (`#name`): known to its class alone, it gets one letter from the
// bundler, which must not touch a name that somebody else may know.
import { readFile } from 'node:fs/promises';
import ts from 'typescript';

/** For esbuild: our own sources in the folder. */
export const privateNames = (folder) => ({
  name: 'private names',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) =>
      path.startsWith(folder) ? { contents: withPrivateNames(await readFile(path, 'utf8')), loader: 'ts' } : undefined,
    );
  },
});

/** The same source with the private members of its classes as `#name`, but for those that are asked for in any other way than as `this.name`. */
export function withPrivateNames(text) {
  if (!/\bprivate\b/.test(text)) {
    return text;
  }
  const file = ts.createSourceFile('source.ts', text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
  return all(file, ts.isClassLike)
    .flatMap(changesIn)
    .toSorted((a, b) => b.start - a.start || b.end - a.end)
    .reduce((rest, { start, end, words }) => rest.slice(0, start) + words + rest.slice(end), text);
}

function changesIn(declared) {
  const members = privateMembers(declared);
  const names = new Set(members.map(({ name }) => name.text));
  const uses = all(declared, ts.isPropertyAccessExpression).filter(({ name }) => names.has(name.text));
  const otherwise = [
    ...uses.filter((use) => !isPlain(use, declared)).map(({ name }) => name.text),
    ...all(declared, ts.isStringLiteralLike).map(({ text }) => text),
    ...all(declared, ts.isBindingElement).map(({ name, propertyName }) => (propertyName ?? name).getText()),
  ];
  otherwise.forEach((name) => names.delete(name));
  const hidden = members.filter(({ name }) => names.has(name.text));
  return [
    ...uses
      .filter(({ name }) => names.has(name.text))
      .map(({ name }) => ({ ...placeOf(name), words: `#${name.text}` })),
    ...hidden.filter((member) => !ts.isParameter(member)).map(renamed),
    ...asFields(hidden.filter(ts.isParameter)),
  ];
}

/** Those that are static stay; and where a class has a base, what its constructor takes. */
function privateMembers(declared) {
  const isDerived = declared.heritageClauses?.some(({ token }) => token === ts.SyntaxKind.ExtendsKeyword);
  const constructor = declared.members.find((each) => ts.isConstructorDeclaration(each) && each.body !== undefined);
  return [...declared.members, ...(isDerived ? [] : (constructor?.parameters ?? []))].filter((member) => {
    const kinds = member.modifiers?.map(({ kind }) => kind) ?? [];
    const isLeft = [ts.SyntaxKind.StaticKeyword, ts.SyntaxKind.DeclareKeyword].some((kind) => kinds.includes(kind));
    return kinds.includes(ts.SyntaxKind.PrivateKeyword) && !isLeft && member.name?.kind === ts.SyntaxKind.Identifier;
  });
}

/** Whether it is `this.name` and `this` is of the class. */
function isPlain({ expression, questionDotToken, parent }, declared) {
  let owner = expression;
  do {
    owner = owner.parent;
  } while (
    ts.isArrowFunction(owner) ||
    !(ts.isFunctionLike(owner) || ts.isClassElement(owner) || ts.isSourceFile(owner))
  );
  const isOfThis = expression.kind === ts.SyntaxKind.ThisKeyword && questionDotToken === undefined;
  return isOfThis && owner.parent === declared && !ts.isDeleteExpression(parent);
}

function renamed({ modifiers, name, kind, asteriskToken }) {
  const dropped = [ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.ReadonlyKeyword];
  const words = [
    ...modifiers.filter((each) => !dropped.includes(each.kind)).map((each) => each.getText()),
    ...(kind === ts.SyntaxKind.GetAccessor ? ['get'] : []),
    ...(kind === ts.SyntaxKind.SetAccessor ? ['set'] : []),
    `${asteriskToken === undefined ? '' : '*'}#${name.text}`,
  ];
  return { start: modifiers[0].getStart(), end: name.end, words: words.join(' ') };
}

/** What a constructor takes is set in fields, before anything else that it does. */
function asFields(parameters) {
  if (parameters.length === 0) {
    return [];
  }
  const [{ parent: constructor }] = parameters;
  const names = parameters.map(({ name }) => name.text);
  const before = constructor.getStart();
  const within = constructor.body.getStart() + 1;
  return [
    { start: before, end: before, words: names.map((name) => `#${name}; `).join('') },
    ...parameters.map(({ modifiers, name }) => ({ start: modifiers[0].getStart(), end: name.getStart(), words: '' })),
    { start: within, end: within, words: names.map((name) => ` this.#${name} = ${name};`).join('') },
  ];
}

function placeOf(node) {
  return { start: node.getStart(), end: node.end };
}

function all(node, isIt) {
  const found = [];
  const visit = (each) => {
    if (isIt(each)) {
      found.push(each);
    }
    ts.forEachChild(each, visit);
  };
  visit(node);
  return found;
}
