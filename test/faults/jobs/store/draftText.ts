/** A text that contains its number and shows whether it is complete. */
export function textOf(number: number): string {
  return `${number} ${'prompt '.repeat(number % 500)}${number}`;
}

/** The number of a text; undefined if the text is not complete. */
export function numberOf(text: string): number | undefined {
  const number = Number(text.split(' ', 1)[0]);
  return textOf(number) === text ? number : undefined;
}
