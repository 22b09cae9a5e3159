import { showInvisible } from '../../shared/util/invisible';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** A text as it may stand in HTML, in an element or in a quoted attribute; what can't be seen is written as its number. */
export function escapeHtml(text: string): string {
  return escapeMarkup(showInvisible(text));
}

/** The same for a piece of a text in which everything is visible already: a cut can leave half of an emoji. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
