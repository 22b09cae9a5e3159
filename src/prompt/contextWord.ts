/** A `#` with letters that is being typed. */
export interface ContextWord {
  /** What stands after the `#`, up to the cursor. */
  letters: string;
  /** Where the `#` stands in its line; counts from 0. */
  start: number;
  /** Whether it could become a heading: nothing but the `#` stands in the line. */
  canBeHeading: boolean;
}

/**
 * The `#word` that ends at the cursor; undefined where there is none, and inside of a code block, where a `#` is code.
 *
 * @param above the lines above the cursor's
 * @param before the cursor's line up to the cursor
 */
export function contextWord(above: readonly string[], before: string): ContextWord | undefined {
  const [, lead = '', letters] = /^(.*?(?:^|[\s([{"'“]))#([^\s#`]*)$/.exec(before) ?? [];
  if (letters === undefined || /^( {4}|\t)/.test(before) || isInFence(above)) {
    return undefined;
  }
  return { letters, start: lead.length, canBeHeading: letters === '' && lead.trim() === '' };
}

/** Whether a fence that the lines open is not closed by them (CommonMark 0.31, section 4.5). */
function isInFence(lines: readonly string[]): boolean {
  let open = '';
  for (const line of lines) {
    const [, fence = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/s.exec(line) ?? [];
    if (open === '') {
      open = fence.startsWith('`') && rest.includes('`') ? '' : fence;
    } else if (fence.startsWith(open.charAt(0)) && fence.length >= open.length && rest.trim() === '') {
      open = '';
    }
  }
  return open !== '';
}
