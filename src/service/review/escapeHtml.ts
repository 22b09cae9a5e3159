const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** A text as it may stand in HTML, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return visibleControls(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/**
 * Makes seen what would not be, or would turn other text round: control characters and bidirectional marks are written
 * as their number ("Trojan Source", CVE-2021-42574). Tabs stay, and so do LF and CRLF: any other line end is one to some
 * readers and none to git, so that it could hide the rest of a line, or begin a file that is not there.
 */
export function visibleControls(text: string): string {
  const unseen =
    // eslint-disable-next-line no-control-regex -- control characters are what is being shown
    /\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
  return text.replace(unseen, (character) => {
    return `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}
