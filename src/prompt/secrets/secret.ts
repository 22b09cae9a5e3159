/** What looks like a secret in a text, by its place in UTF-16 units. */
export interface Secret {
  /** What it is, as one of {@link kindName}'s. */
  kind: string;
  start: number;
  end: number;
}

/** Finds secrets of one family. */
export type Detector = (text: string) => readonly Secret[] | Promise<readonly Secret[]>;
