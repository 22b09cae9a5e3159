export type NameKind = 'identifier' | 'flag' | 'variable' | 'keyPath' | 'file' | 'script';

/** 1-based line and columns; endColumn is exclusive. path is relative to the repository, with slashes. */
export interface Place {
  path: string;
  line: number;
  column: number;
  endColumn: number;
}

export interface CommitInfo {
  commit: string;
  subject: string;
  /** Milliseconds since 1970. */
  date: number;
}

/** "likely" if not everything that could contradict the finding was read, or it is judged from less than a definition. */
export type Certainty = 'certain' | 'likely';

/** What a commit did to the code. */
export interface Evidence {
  commit: CommitInfo;
  /** 0: the repository of the pages; 1 and up: the further ones, in their order. */
  repository: number;
  /** The file in which it happened. */
  path: string;
  /** Before the commit, 1-based; null for a whole file, or if it isn't known. */
  line: number | null;
  /** This line, trimmed and shortened; empty for a whole file. */
  before: string;
  /** The line that took its place; null if none did. */
  after: string | null;
}

interface NameFinding {
  place: Place;
  name: string;
  kind: NameKind;
  certainty: Certainty;
}

/** Where a link led, if it ever led somewhere. */
interface TargetFinding {
  place: Place;
  target: string;
  certainty: Certainty;
  evidence: Evidence | null;
  /** The path of the file that took the place of the target. */
  successor: string | null;
}

export type Finding =
  | (NameFinding & {
      rule: 'gone-name';
      evidence: Evidence | null;
      /** A name that exists now and probably took its place. */
      successor: string | null;
    })
  | (NameFinding & { rule: 'changed-default'; documented: string; current: string; evidence: Evidence })
  | (NameFinding & { rule: 'unknown-name' })
  | (TargetFinding & { rule: 'broken-link'; problem: 'file' | 'anchor' })
  | (TargetFinding & { rule: 'missing-image' })
  | { rule: 'invalid-code'; place: Place; language: string; message: string; certainty: Certainty };

/** The longest `before` or `after`, in characters. */
export const MAX_EVIDENCE_LINE = 200;

/** What a finding is about, as the page has it: what “ignore” in the settings names. */
export function subjectOf(finding: Finding): string {
  return 'name' in finding ? finding.name : 'target' in finding ? finding.target : finding.message;
}

export type NotCheckedReason = 'shallow' | 'time' | 'commits' | 'files' | 'size' | 'not-utf8' | 'submodule';

/** What a check has looked at, and what it hasn't. */
export interface Coverage {
  pages: number;
  /** Pages that were left out because old names belong there, such as changelogs. */
  leftOut: number;
  names: number;
  links: number;
  defaults: number;
  notChecked: { reason: NotCheckedReason; count: number }[];
}

/** For sorting: by page, line, and column. */
export function byPlace({ place: one }: Finding, { place: other }: Finding): number {
  return one.path === other.path ? one.line - other.line || one.column - other.column : one.path < other.path ? -1 : 1;
}
