/** A file as a prompt names it, and what else is known of the place: one line of Markdown each. */
export interface TextPlace {
  /** Relative to the workspace folder, or the mere name of a file that is in none. */
  path: string;
  notes: readonly string[];
}

/** The text stands in the editor only: neither the disk nor a commit has it like this. */
export const UNSAVED_NOTE = 'Unsaved: this is the text as it stands in the editor.';

/** Where the file lies on the user's machine is nobody's business. */
export const OUTSIDE_NOTE = 'Not in the workspace: only the file’s name is given.';
