import type { Job } from '../api';
import { safeLink } from '../pullRequestLink';
import { toLabel } from '../text';

/** What stands in a file of exported jobs; a later version adds fields or counts `version` up. */
export interface JobsDocument {
  format: 'docs-agent-jobs';
  version: 1;
  /** ISO 8601. */
  exportedAt: string;
  /** As the list shows them, from its top. Without the prompts: they can hold code and what is nobody else's business. */
  jobs: readonly Job[];
}

/** @param at wall time in milliseconds */
export function jobsJson(jobs: readonly Job[], at: number): string {
  const document: JobsDocument = {
    format: 'docs-agent-jobs',
    version: 1,
    exportedAt: new Date(at).toISOString(),
    jobs,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** A cell of text, or the address of a pull request. */
export type Cell = string | { address: string | null };

/** A table as GitHub draws it, in which no text of others becomes markup or a link. */
export function markdownTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  return line(head.map(cellText)) + line(head.map(() => '---')) + rows.map((row) => line(row.map(cellText))).join('');
}

function cellText(cell: Cell): string {
  if (typeof cell === 'string') {
    return toLabel(cell, Infinity).replaceAll(/[!-/:-@[-`{-~]/g, String.raw`\$&`);
  }
  const url = safeLink(cell.address);
  return url === undefined ? cellText(cell.address ?? '') : `<${url.href.replaceAll('|', '%7C')}>`;
}
