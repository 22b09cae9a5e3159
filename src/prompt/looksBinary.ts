/** How far Git looks, too (`buffer_is_binary` in its xdiff-interface.c). */
const LOOK = 8_000;

/** Whether bytes are no text: as Git tells it, by a NUL near the beginning, but for texts of two bytes a character. */
export function looksBinary(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return !isUtf16 && bytes.subarray(0, LOOK).includes(0);
}

/** Whether a text was made of bytes that are none in its encoding: short pictures and archives have no NUL. */
export function looksGarbled(text: string): boolean {
  const head = text.slice(0, LOOK);
  const strange = head.match(/(?!\s)[\p{Cc}\uFFFD]/gu)?.length ?? 0;
  return strange > head.length / 20;
}
