/** A text of at most so many characters; what is cut off leaves an ellipsis. Never cuts inside a character. */
export function cutText(text: string, maxCharacters: number): string {
  const characters = Array.from(text);
  const kept = characters.slice(0, maxCharacters - 1);
  return characters.length > maxCharacters ? `${kept.join('').trimEnd()}…` : text;
}
