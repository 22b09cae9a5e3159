/** A text that tells its number and whether it is whole. */
export function textOf(number: number): string {
  return `${number} ${'prompt '.repeat(number % 500)}${number}`;
}

/** The number of a text; undefined for one that is not whole. */
export function numberOf(text: string): number | undefined {
  const number = Number(text.split(' ', 1)[0]);
  return textOf(number) === text ? number : undefined;
}
