import { type Ask, askKey } from './asks';
import type { Template } from './parseTemplate';
import type { ContextVariable, ValueVariable } from './variables';

/** What takes the place of a template's variables. What is missing here comes out as nothing. */
export interface Filling {
  values: Partial<Record<ValueVariable, string>>;
  /** Context as Markdown: it comes out on lines of its own. */
  contexts: Partial<Record<ContextVariable, string>>;
  /** By `askKey`. */
  answers: ReadonlyMap<string, string>;
}

/** The names of one kind that the template uses, each once, in the order of the text. */
export function namesOf<K extends 'context' | 'value'>(
  { pieces }: Template,
  kind: K,
): (K extends 'context' ? ContextVariable : ValueVariable)[] {
  const names = pieces.flatMap((piece) => (piece.kind === kind ? [piece.name] : []));
  return [...new Set(names)] as (K extends 'context' ? ContextVariable : ValueVariable)[];
}

/** The template's text with its variables filled in. What a value itself holds is text and never a variable. */
export function fillTemplate({ pieces }: Template, { values, contexts, answers }: Filling): string {
  const answer = (ask: Ask): string => answers.get(askKey(ask)) ?? '';
  let filled = '';
  let afterContext = false;
  for (const piece of pieces) {
    if (piece.kind === 'context') {
      filled = onLineOfItsOwn(filled) + (contexts[piece.name] ?? '');
      afterContext = true;
      continue;
    }
    const text =
      piece.kind === 'text' ? piece.text : piece.kind === 'value' ? (values[piece.name] ?? '') : answer(piece);
    filled = afterContext && text.trim() !== '' ? onLineOfItsOwn(filled) + withoutLead(text) : filled + text;
    afterContext &&= text.trim() === '';
  }
  return filled.trim();
}

/** What stands before a block: a blank line divides them. */
function onLineOfItsOwn(text: string): string {
  const before = text.trimEnd();
  return before === '' ? '' : `${before}\n\n`;
}

/** What follows on the block's own line begins a new one; blank lines are made anew, and the indent of a line stays. */
function withoutLead(text: string): string {
  return text.replace(/^[^\S\n]*(?:\n[^\S\n]*(?=\n))*\n|^[^\S\n]+/, '');
}
