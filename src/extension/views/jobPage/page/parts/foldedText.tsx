import type { JSX } from 'preact';
import { useTools } from '../context';
import { useFold } from '../folds';

/** What is shown of a long text at first. */
const LINES = 6;
const CHARACTERS = 480;

/** Hundreds of thousands of turns of direction would hold up the browser; the extension leaves none of them in. */
const UNPRINTABLE = /(?![\t\n\r])\p{Cc}|\p{Bidi_Control}/gu;

interface FoldedTextProps {
  text: string;
  /** Under which the reader's choice is kept. */
  fold: string;
}

/** A text as it was written, line by line, in its own direction; a long one unfolds. */
export function FoldedText({ text, fold }: FoldedTextProps): JSX.Element {
  const { words } = useTools();
  const [isOpen, toggle] = useFold(fold);
  const start = startOf(text);
  const shown = isOpen || start === text ? text : `${start}…`;
  return (
    <div class="text">
      <p dir="auto">{shown.replace(UNPRINTABLE, '')}</p>
      {start === text ? null : (
        <button type="button" class="link" aria-expanded={isOpen} onClick={toggle}>
          {isOpen ? words.showLess : words.showAll}
        </button>
      )}
    </div>
  );
}

/** The whole text when it is short, or hardly longer than what would be shown. */
function startOf(text: string): string {
  const lines = text.slice(0, CHARACTERS).split('\n').slice(0, LINES).join('\n');
  const isLong = text.length > lines.length * 1.2 + 40;
  return isLong ? lines.replace(/[\uD800-\uDBFF]$|\s+$/, '') : text;
}
