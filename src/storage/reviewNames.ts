/**
 * Of one comment the id and the time of its text in base 36, so that a later text is a later name; and who wrote it. What
 * says that it was put into a prompt is named alike.
 */
const NAME = /^([A-Za-z0-9]{1,64})-([0-9a-z]{9})-[A-Za-z0-9]+(\.composed)?\.json$/;

export interface ReviewName {
  id: string;
  /** Wall time in milliseconds. */
  at: number;
  isComposed: boolean;
}

/** What a file of the folder of comments is; undefined for one that is not ours. */
export function readReviewName(name: string): ReviewName | undefined {
  const [, id, at = '', composed] = NAME.exec(name) ?? [];
  return id === undefined ? undefined : { id, at: parseInt(at, 36), isComposed: composed !== undefined };
}
