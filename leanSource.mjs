// Rewrites the sources of libraries so that the bundler sees what it may leave out. They do the same as before.
import { join } from 'node:path';
import ts from 'typescript';

/** The JavaScript in a text. */
export function parsed(text) {
  return ts.createSourceFile('library.js', text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS);
}

/** The text of a file with other words in the place of some of its parts. */
export function edited(file, changes) {
  return changes
    .toSorted(([a], [b]) => b.pos - a.pos)
    .reduce((rest, [node, words]) => rest.slice(0, node.getStart()) + words + rest.slice(node.end), file.text);
}

/** The names at the top of a file, each with the value that it is given. */
export function valuesIn(file) {
  return file.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .filter(({ initializer }) => initializer !== undefined)
    .map(({ name, initializer }) => ({ name: name.getText(), value: initializer }));
}

/**
 * Says of what is made when a file is loaded that making it does nothing else: what nobody uses can stay out, with all
 * that only it needs.
 */
export function withUsedValuesOnly(text) {
  const file = parsed(text);
  const isPlain = (value) => ts.isFunctionLike(value) || ts.isClassLike(value) || ts.isLiteralExpression(value);
  const made = valuesIn(file)
    .map(({ value }) => value)
    .filter((value) => !isPlain(value));
  const classes = file.statements.filter((each) => ts.isClassDeclaration(each) && each.modifiers === undefined);
  return edited(file, [
    ...made.map((value) => [value, aside(`(${value.getText()})`)]),
    ...classes.map((each) => [each, `const ${each.name.getText()} = ${aside(each.getText())};`]),
  ]);
}

function aside(value) {
  return `/* @__PURE__ */ (() => ${value})()`;
}

/**
 * A file for Node's `require` as a module, from which only what is used need be taken; undefined where it does not name
 * its exports at once, as `module.exports`. What `read` gives is read of each file that it requires at its top.
 */
export function asModule(path, read) {
  const file = parsed(read(path));
  const exported = exportsOf(file);
  if (exported === undefined) {
    return undefined;
  }
  const required = file.statements.filter(ts.isVariableStatement).flatMap((statement) => {
    const [declaration] = statement.declarationList.declarations;
    const from = requiredBy(declaration);
    return from === undefined ? [] : [{ statement, name: declaration.name, from }];
  });
  const hasNames = (from) =>
    !from.startsWith('node:') && namesOf(exportsOf(parsed(read(fileOf(path, from))))) !== undefined;
  return edited(file, [
    ...required.map(({ statement, name, from }) => [statement, importing(name, from, hasNames(from))]),
    [exported, exporting(exported)],
  ]);
}

/** The file that a `require` of a file takes. */
function fileOf(path, from) {
  return join(path, '..', from.endsWith('.js') ? from : `${from}.js`);
}

/** What a declaration requires, if it does nothing else. */
function requiredBy({ initializer }) {
  const isRequired =
    initializer?.kind === ts.SyntaxKind.CallExpression && initializer.expression.getText() === 'require';
  return isRequired ? initializer.arguments[0].text : undefined;
}

/** The statement `module.exports = …`. */
function exportsOf(file) {
  return file.statements.find((each) => /^module\.exports\s*=/.test(each.getText()));
}

/** The names that a file exports, each with the text of its value; undefined where it exports one thing. */
function namesOf(exported) {
  const value = exported?.expression.right;
  if (value?.kind !== ts.SyntaxKind.ObjectLiteralExpression) {
    return undefined;
  }
  const { properties } = value;
  return properties.every((each) => ts.isShorthandPropertyAssignment(each) || ts.isPropertyAssignment(each))
    ? properties.map(({ name, initializer }) => [name.text, initializer?.getText() ?? name.text])
    : undefined;
}

function exporting(exported) {
  const named = namesOf(exported)?.map(([name, value]) =>
    value === name ? `export { ${name} };` : `export const ${name} = ${aside(`(${value})`)};`,
  );
  return named?.join('\n') ?? `export default ${exported.expression.right.getText()};`;
}

function importing(name, from, hasNames) {
  if (!ts.isObjectBindingPattern(name)) {
    return `import ${hasNames ? '* as ' : ''}${name.getText()} from '${from}';`;
  }
  const names = name.elements.map(({ propertyName, name: own }) =>
    propertyName === undefined ? own.getText() : `${propertyName.getText()} as ${own.getText()}`,
  );
  return `import { ${names.join(', ')} } from '${from}';`;
}
