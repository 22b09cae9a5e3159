import { pathInHeader } from '../../git/diff';
import type { LineCommit } from '../ports';

/** Reads `git blame --porcelain`. Lines that are not committed are left out. */
export function readBlame(output: string): Map<number, LineCommit> {
  const commits = new Map<string, number>();
  const lines: { line: number; commit: string }[] = [];
  let commit = '';
  for (const line of output.split('\n')) {
    const header = /^([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?$/.exec(line);
    if (header !== null) {
      commit = header[1] ?? '';
      lines.push({ line: Number(header[2]), commit });
    } else if (line.startsWith('committer-time ')) {
      commits.set(commit, Number(line.slice(15)) * 1000);
    }
  }
  const committed = lines.filter((each) => !/^0+$/.test(each.commit));
  return new Map(committed.map((each) => [each.line, { commit: each.commit, date: commits.get(each.commit) ?? 0 }]));
}

/** Reads `git diff -U0`: the added lines, by path. */
export function readAddedLines(output: string): Map<string, Set<number>> {
  const files = new Map<string, Set<number>>();
  let lines: Set<number> | undefined;
  let left = 0;
  for (const line of output.split('\n')) {
    if (left > 0 && /^[-+\\]/.test(line)) {
      left -= line.startsWith('\\') ? 0 : 1;
      continue;
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk !== null) {
      const [, removed = '1', start = '0', added = '1'] = hunk;
      left = Number(removed) + Number(added);
      for (let at = 0; at < Math.min(Number(added), 1_000_000); at++) {
        lines?.add(Number(start) + at);
      }
    } else if (line.startsWith('diff --git ')) {
      lines = undefined;
    } else if (/^\+\+\+ "?b\//.test(line)) {
      lines = new Set();
      files.set(pathInHeader(line.slice(4)).slice(2), lines);
    }
  }
  return files;
}
