import { fillTemplate, parseTemplate } from '../../src/prompt/promptTemplate';

/** Fills in a template that contains the text, and names a context of the same length as often as it can. */
export function fillLongTemplate(text: string): unknown {
  const pieces = parseTemplate(text + '${selection}'.repeat(text.length / 12));
  return fillTemplate(pieces, { values: {}, contexts: { selection: text } });
}
