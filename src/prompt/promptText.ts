/** The prompt that a document makes: line breaks are line feeds, and nothing empty stands at either end. */
export function promptText(document: string): string {
  return document.replace(/\r\n?/g, '\n').trim();
}
