import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { checkoutRoot } from '../vscode/paths';
import { sourcesOf } from './codeTexts';

/** A text of the local service, as far as it is fixed: `{}` stands for what is put in. */
export interface ServiceText {
  text: string;
  place: string;
}

/** A sentence, not a name or a header: it begins large, has several words, and ends as sentences do. */
const SENTENCE = /^(?!(?:SELECT|UPDATE|DELETE|INSERT) )[A-Z“{][^\n<>]*\s[^\n<>]*\s[^\n<>]*[.?…]$/;

/**
 * The sentences in the local service: reasons, notes, refusals and what its page says. They reach people through the
 * list of jobs, the log and the page.
 */
export function serviceTexts(): ServiceText[] {
  return sourcesOf(join(checkoutRoot, 'src', 'service')).flatMap((path) => {
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
    const found: ServiceText[] = [];
    const visit = (node: ts.Node): void => {
      const text = textOf(node);
      if (text !== undefined && SENTENCE.test(text)) {
        const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        found.push({ text, place: `${relative(checkoutRoot, path)}:${line}` });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
    return found;
  });
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) {
    return node.text;
  }
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join('');
  }
  return undefined;
}
