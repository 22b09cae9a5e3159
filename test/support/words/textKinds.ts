import ts from 'typescript';
import type { CodeText } from './codeTexts';

/** Where a text is shown, as far as that limits its length. */
export type TextKind = 'button' | 'title' | 'label' | 'status' | 'row' | 'other';

/** Texts of rows are made in these files, and of buttons in those. */
const ROWS = /views\/(jobWords|sectionItem|runWaitWords)\.ts:/;
const BUTTONS = 'views/jobPage/pageActions.ts:';

export function kindOf({ call, place, text }: CodeText): TextKind {
  if (place.includes(BUTTONS) || isButton(call)) {
    return 'button';
  }
  if (isGivenTo(call, 'setStatusBarMessage')) {
    return 'status';
  }
  const property = propertyOf(call);
  if (property === 'title' || property === 'label') {
    return property;
  }
  return ROWS.test(place) && !text.endsWith('.') ? 'row' : 'other';
}

/** Handed to a message behind its text, at once or under a name. */
function isButton(call: ts.CallExpression): boolean {
  const name = ts.isVariableDeclaration(call.parent) ? call.parent.name.getText() : undefined;
  const own = name === undefined ? undefined : new RegExp(`\\b${name}\\b`);
  let found = false;
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /show(Information|Warning|Error)Message$/.test(node.expression.getText())) {
      const buttons = node.arguments.slice(1);
      found ||= buttons.some((each) => each === call || (ts.isIdentifier(each) && own?.test(each.text) === true));
    }
    ts.forEachChild(node, visit);
  };
  visit(call.getSourceFile());
  return found;
}

function isGivenTo(call: ts.CallExpression, name: string): boolean {
  return ts.isCallExpression(call.parent) && call.parent.expression.getText().endsWith(name);
}

/** The property that the text becomes, through conditions. */
function propertyOf(node: ts.Node): string | undefined {
  const { parent } = node;
  if (ts.isConditionalExpression(parent) || ts.isParenthesizedExpression(parent) || ts.isTemplateSpan(parent)) {
    return propertyOf(ts.isTemplateSpan(parent) ? parent.parent : parent);
  }
  if (ts.isPropertyAssignment(parent)) {
    return parent.name.getText();
  }
  return ts.isBinaryExpression(parent) && ts.isPropertyAccessExpression(parent.left)
    ? parent.left.name.text
    : undefined;
}
