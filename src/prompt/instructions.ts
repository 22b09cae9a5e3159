import { type Place, formatPlace } from './contextBlock';

/**
 * The requests behind menu items and code actions: the start of a prompt, which the user can edit before sending.
 * `what` is the heading of the block below.
 */
export const instructions = {
  documentSymbol: (what: string): string =>
    `Document the ${inSentence(what)}: what it is for, how to use it (with an example), and what can go wrong. Update the pages that mention it.`,

  updateDocs: (what?: string): string =>
    `Update the documentation to match the code below${what === undefined ? '' : ` (${inSentence(what)})`}. Edit existing pages; add one only if no page covers it.`,

  documentComment: (place: Place): string =>
    `Write the documentation that the comment in ${formatPlace(place)} asks for, then remove the comment.`,

  documentProblems: (what: string): string =>
    `Investigate the ${inSentence(what)}. If the documentation is wrong or missing, fix it. If the code is wrong, say so.`,

  page: (page: string): string => `Documentation page: ${page}`,

  updatePage: (page: string): string => `Update the documentation page ${page} to match the code.`,
};

/** “From `a.ts`” becomes “from `a.ts`” within a sentence. */
function inSentence(heading: string): string {
  return heading.slice(0, 1).toLowerCase() + heading.slice(1);
}
