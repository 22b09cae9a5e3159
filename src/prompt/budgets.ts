/**
 * How many characters of each kind of context go into a prompt; what is over is left out and counted there. A prompt
 * stays readable, and within what a service and its model take.
 */
export const BUDGETS = {
  /** All cursors of an editor together. */
  selections: 60_000,
  /** One file that was asked for by itself. */
  file: 40_000,
  /** All files that were asked for at once. */
  files: 120_000,
  /** The names in a folder. */
  tree: 8_000,
  /** The contents of a folder's files together, and of each. */
  folder: 60_000,
  folderFile: 16_000,
  symbol: 30_000,
  /** The problems of one file, and of all files. */
  problems: 12_000,
  allProblems: 40_000,
  terminal: 20_000,
  /** The text of a change, and the names of files whose text is not shown. */
  changes: 50_000,
  changedNames: 8_000,
  /** The messages of commits. */
  messages: 6_000,
} as const;
