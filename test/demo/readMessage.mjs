// Reads what the extension and the local service send to an agent: an instruction, and quoted lines with their place.

const NEW_MESSAGE = '--- New message ---\n';

/** Longer messages are cut, in characters. */
const MAX_MESSAGE = 100_000;

/** “From `docs/a.md`, lines 3-10:” above a selection, and “In `docs/a.md`, line 3:” above a review comment. */
const PLACE = /^(?:\d+\. )?(?:From|In) (`+) ?([^`]+?) ?\1, lines? [^:]*:$/;

/**
 * @typedef {object} Place
 * @property {string} path
 * @property {string} quoted the lines, or the part of a line
 * @property {string} request what to do with them
 */

/**
 * Returns the newest message's instruction and its places.
 *
 * @param {string} input what the agent was sent, with the earlier messages
 * @returns {{ instruction: string, places: Place[] }}
 */
export function readMessage(input) {
  const at = input.lastIndexOf(NEW_MESSAGE);
  const message = (at === -1 ? input : input.slice(at + NEW_MESSAGE.length)).slice(0, MAX_MESSAGE);
  const instruction = [];
  const places = [];
  let fence = '';
  for (const line of message.split('\n')) {
    const place = places.at(-1);
    const found = fence === '' ? PLACE.exec(line) : null;
    const mark = /^`{3,}/.exec(line)?.[0] ?? '';
    if (found) {
      places.push({ path: found[2], lines: [], comment: [] });
    } else if (place === undefined) {
      instruction.push(line);
    } else if (fence !== '') {
      if (line === fence) {
        fence = '';
      } else {
        place.lines.push(line);
      }
    } else if (mark !== '') {
      fence = mark;
    } else if (line.startsWith('>')) {
      place.comment.push(line.slice(1).trim());
    }
  }
  const whole = instruction.join('\n').trim();
  return {
    instruction: whole,
    places: places.map(({ path, lines, comment }) => ({
      path,
      quoted: lines.join('\n').trim(),
      request: comment.length === 0 ? whole : comment.join(' ').trim(),
    })),
  };
}
