import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ChangedPart, Paragraph } from '../model';

interface ChangedTextProps {
  paragraphs: readonly Paragraph[];
  /** How many of them are shown. */
  count: number;
}

/** Paragraphs with deleted and inserted words. Rendered again only when they change. */
export function ChangedText({ paragraphs, count }: ChangedTextProps): JSX.Element {
  return useMemo(
    () => <div class="changedText">{paragraphs.slice(0, count).map(renderParagraph)}</div>,
    [paragraphs, count],
  );
}

const SIGNS = { inserted: '+', deleted: '−', unchanged: '' } as const;

function renderParagraph(parts: Paragraph, index: number): JSX.Element {
  const [first] = parts;
  const kind = first !== undefined && parts.length === 1 ? first.kind : 'unchanged';
  return (
    <div key={index} class={`paragraph ${kind}`}>
      <span class="sign" aria-hidden="true">
        {SIGNS[kind]}
      </span>
      <p dir="auto">{parts.map(renderPart)}</p>
    </div>
  );
}

/** Elements with a meaning, which screen readers announce. */
function renderPart({ kind, text }: ChangedPart, index: number): JSX.Element | string {
  switch (kind) {
    case 'unchanged':
      return text;
    case 'deleted':
      return <del key={index}>{text}</del>;
    case 'inserted':
      return <ins key={index}>{text}</ins>;
  }
}
