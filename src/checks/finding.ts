export type NameKind = 'identifier' | 'flag' | 'variable' | 'keyPath' | 'file';

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

export type Finding =
  | {
      rule: 'gone-name';
      place: Place;
      name: string;
      kind: NameKind;
      /** The commit that last touched the line. */
      written: string;
      removed: CommitInfo | null;
      /** A name that exists now and probably took its place. */
      successor: string | null;
    }
  | {
      rule: 'unknown-name';
      place: Place;
      name: string;
      kind: NameKind;
      /** "likely" if the history or the dependencies could not be read completely. */
      certainty: 'certain' | 'likely';
    }
  | { rule: 'broken-link'; place: Place; target: string; problem: 'file' | 'anchor' }
  | { rule: 'missing-image'; place: Place; target: string }
  | { rule: 'invalid-code'; place: Place; language: string; message: string };

export type NotCheckedReason = 'shallow' | 'time' | 'commits' | 'files' | 'size' | 'not-utf8' | 'submodule';

/** What a check has looked at, and what it hasn't. */
export interface Coverage {
  pages: number;
  names: number;
  notChecked: { reason: NotCheckedReason; count: number }[];
}
