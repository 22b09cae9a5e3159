/** True for the kinds that are found by a guess: see `detectLikely`, which is loaded with the rules only. */
export function isLikelyOnly(kind: string): boolean {
  return kind === 'JSON_WEB_TOKEN' || kind === 'NAMED_VALUE';
}
