import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';
import { checkoutRoot } from '../vscode/paths';

/** One call that shows a text in the language of the editor. */
export interface CodeText {
  /** As the bundle of a language names it: the English text, and a comment for translators after a slash. */
  key: string;
  /** The English text. */
  text: string;
  /** File and line, for messages. */
  place: string;
  /** What the text was handed to directly, such as `showErrorMessage`; empty when it was kept first. */
  handedTo: string;
  call: ts.CallExpression;
}

/** What is found in the code: the texts, and each call whose text no translator could see. */
export interface CodeTexts {
  texts: CodeText[];
  unreadable: string[];
}

/**
 * Reads the texts of the extension: of `vscode.l10n.t(…)` and of `t(…)`, which the files take from `vscode.l10n`, from the syntax tree.
 * `@vscode/l10n-dev` does not see the second form, and brings a tree of sixty packages for it.
 */
export function codeTexts(): CodeTexts {
  return textsIn(sourcesOf(join(checkoutRoot, 'src')).filter((path) => !path.startsWith(serviceFolder)));
}

/** The same of the pages that the local service makes, and of the scripts in them. */
export function pageTexts(): Record<'page' | 'script', CodeTexts> {
  const all = sourcesOf(join(serviceFolder, 'review'));
  const scripts = join(serviceFolder, 'review', 'page', sep);
  return {
    page: textsIn(all.filter((path) => !path.startsWith(scripts))),
    script: textsIn(all.filter((path) => path.startsWith(scripts))),
  };
}

const serviceFolder = join(checkoutRoot, 'src', 'service');

function textsIn(paths: readonly string[]): CodeTexts {
  const found: CodeTexts = { texts: [], unreadable: [] };
  for (const path of paths) {
    readTexts(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true), found);
  }
  return found;
}

/** The paths of all TypeScript files in the folder and below it. */
export function sourcesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

/** Reads one file. */
export function readTexts(source: ts.SourceFile, found: CodeTexts): void {
  const visit = (node: ts.Node): void => {
    if (isTranslator(node) && !isDeclaration(node)) {
      const { parent } = node;
      const read = ts.isCallExpression(parent) && parent.expression === node ? textOf(parent) : undefined;
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      const place = `${relative(checkoutRoot, source.fileName)}:${line}`;
      if (read === undefined) {
        found.unreadable.push(`${place} ${parent.getText().slice(0, 80)}`);
      } else {
        const call = parent as ts.CallExpression;
        found.texts.push({ ...read, place, handedTo: receiverOf(call), call });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** Whether the node is the function that translates: `t` itself, or something’s `l10n.t`. */
function isTranslator(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node)) {
    return node.name.text === 't' && /(^|\.)l10n$/.test(node.expression.getText());
  }
  return ts.isIdentifier(node) && node.text === 't' && !ts.isPropertyAccessExpression(node.parent);
}

/** `const { t } = vscode.l10n;`, a parameter, a property or an import of that name. */
function isDeclaration(node: ts.Node): boolean {
  const { parent } = node as { parent: ts.Node & { name?: ts.Node } };
  return parent.name === node;
}

function textOf(call: ts.CallExpression): Pick<CodeText, 'key' | 'text'> | undefined {
  const [first] = call.arguments;
  if (first === undefined || !ts.isObjectLiteralExpression(first)) {
    const text = literal(first);
    return text === undefined ? undefined : { key: text, text };
  }
  const property = (name: string): ts.Expression | undefined =>
    first.properties.filter(ts.isPropertyAssignment).find((each) => each.name.getText() === name)?.initializer;
  const [text, comment] = [literal(property('message')), commentOf(property('comment'))];
  return text === undefined ? undefined : { key: comment === '' ? text : `${text}/${comment}`, text };
}

function literal(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : undefined;
}

/** Several comments are joined, as the editor does when it looks for the text. */
function commentOf(node: ts.Expression | undefined): string {
  const parts = node !== undefined && ts.isArrayLiteralExpression(node) ? node.elements : [node];
  return parts.map((part) => literal(part) ?? '').join('');
}

/** The function that gets the text, through conditions and the functions that shorten a text. */
function receiverOf(call: ts.Node): string {
  const { parent } = call;
  if (ts.isConditionalExpression(parent) || ts.isParenthesizedExpression(parent)) {
    return receiverOf(parent);
  }
  if (!ts.isCallExpression(parent)) {
    return '';
  }
  const name = parent.expression.getText().split('.').at(-1) ?? '';
  return /^to[A-Z]/.test(name) ? receiverOf(parent) : name;
}
