import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

/** The page that says how to run the service for a team. */
export function teamPage(): Promise<string> {
  return readFile('docs/team-service.md', 'utf8');
}

/** Returns the code block of the page that starts with this, without its indentation. */
export async function pageBlock(start: RegExp): Promise<string> {
  for (const [, indent = '', code = ''] of (await teamPage()).matchAll(/^( *)```.*\n([^]*?)^ *```$/gm)) {
    const text = code.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    if (start.test(text)) {
      return text;
    }
  }
  assert.fail(`the page has no block that matches ${String(start)}`);
}
