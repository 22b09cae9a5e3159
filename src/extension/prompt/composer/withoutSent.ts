/**
 * What a document holds besides the text that was sent from it: what was typed since. Empty when nothing was.
 * Where it was changed in several places, what lies between them stays too: rather too much than a key too few.
 */
export function withoutSent(now: string, sent: string): string {
  const shorter = Math.min(now.length, sent.length);
  let start = 0;
  while (start < shorter && now[start] === sent[start]) {
    start++;
  }
  let end = 0;
  while (end < shorter - start && now[now.length - 1 - end] === sent[sent.length - 1 - end]) {
    end++;
  }
  return now.slice(start, now.length - end);
}
