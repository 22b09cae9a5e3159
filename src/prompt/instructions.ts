import { codeSpan, type Place, placeName } from './contextBlock';

/**
 * The requests behind menu items and code actions: the start of a prompt, which the user can edit before sending.
 * `what` is the heading of the block below.
 */
export const instructions = {
  documentSymbol: (what: string): string =>
    `Document the ${inSentence(what)}: what it is for, how it is used, with an example, and what can go wrong. Bring the pages that speak of it up to date.`,

  updateDocs: (what?: string): string =>
    `Bring the documentation up to date with the code below${what === undefined ? '' : ` (${inSentence(what)})`}. Change the pages that speak of it, and add one only where none does.`,

  documentComment: (place: Place): string =>
    `Have documented what the comment in ${placeName(place)} asks for, and take the comment out once that is done.`,

  documentProblems: (what: string): string =>
    `Look at the ${inSentence(what)}. Where the documentation is wrong or missing, mend it; where it is the code, say so.`,

  updatePage: (path: string, section: string): string =>
    section === ''
      ? `Bring the documentation page ${codeSpan(path)} up to date with the code.`
      : `Bring the section ${codeSpan(section)} of the documentation page ${codeSpan(path)} up to date with the code.`,
};

/** “From `a.ts`” becomes “from `a.ts`” within a sentence. */
function inSentence(heading: string): string {
  return heading.slice(0, 1).toLowerCase() + heading.slice(1);
}
