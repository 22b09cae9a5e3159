import type { Addition } from '../promptDesk';

/** One kind of context that can be added to a prompt: a row of the list, and a word after `#` in the composer. */
export interface ContextKind {
  /** Its word after `#`, and in `{ kind }`: small letters. */
  name: string;
  /** What it is, for a row: “Selection”. */
  label: string;
  /** Name of one of the editor's icons. */
  icon: string;
  /** What there is of it now, in a few words (“lines 3–10 of a.ts”); undefined where there is nothing to add. */
  atHand: () => Promise<string | undefined> | string | undefined;
  /** Gathers it, and asks where there is a choice. Undefined when the user cancelled. */
  collect: () => Promise<Addition | undefined>;
}
