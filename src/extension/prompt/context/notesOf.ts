import type * as vscode from 'vscode';

/** A place in a file, and what the user has there now. Lines count from 1; without them it is the whole file. */
export interface NotedPlace {
  uri: vscode.Uri;
  startLine?: number;
  endLine?: number;
  /** The text as it goes into the prompt, saved or not. */
  text?: string;
}

/**
 * What else is known of a place, one line of Markdown each: where a hosted agent finds it, and what of it the agent
 * can't see. Never rejects: what can't be told is left out.
 */
export type NotesOf = (place: NotedPlace) => Promise<readonly string[]>;

/** True for a note that says that the agent does not have a place as the user has it. */
export function isNotVisible(note: string): boolean {
  return note.startsWith('Not visible to the ');
}
