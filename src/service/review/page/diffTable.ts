import { t } from './words';

/** How a diff is shown: in one column, or before and after side by side. */
export type View = 'unified' | 'split';

/** A line by its side and number, as text: `new 12`. */
export type LineKey = `${'old' | 'new'} ${number}`;

/** A row of a diff as the server wrote it. */
interface Row {
  kind: 'info' | 'context' | 'added' | 'deleted';
  oldLine: number | undefined;
  newLine: number | undefined;
  /** The cell with the text. */
  code: Element;
}

/** The table of one file, which can be shown in both views and offers a button for each line. */
export interface DiffTable {
  readonly path: string;
  readonly element: HTMLTableElement;
  /** Builds the rows anew. Buttons are made only where comments can be made. */
  show(view: View): void;
  /** The row after which a comment on this line stands, in the present view. */
  rowOf(key: LineKey): HTMLTableRowElement | undefined;
  /** How many columns a row has. */
  columns(): number;
  buttons(): HTMLButtonElement[];
  /** The lines from one to the other: on the newer side where there are any, or on that of both. */
  range(one: LineKey, other: LineKey): { side: 'old' | 'new'; from: number; to: number };
  /** Marks these rows, and no others. */
  mark(keys: readonly LineKey[]): void;
}

export function keyOf(button: Element): LineKey {
  return (button as HTMLElement).dataset['line'] as LineKey;
}

export function diffTable(article: HTMLElement, isOpen: boolean): DiffTable | undefined {
  const table = article.querySelector('table');
  if (table === null) {
    return undefined;
  }
  const rows = [...table.querySelectorAll('tr')].map(readRow);
  const places = new Map<LineKey, HTMLTableRowElement>();
  let shown: View = 'unified';

  const show = (view: View): void => {
    shown = view;
    places.clear();
    const body = document.createElement('tbody');
    body.append(...(view === 'split' ? splitRows(rows, isOpen, places) : unifiedRows(rows, isOpen, places)));
    table.replaceChildren(...(view === 'split' ? [columns()] : []), body);
    table.classList.toggle('split', view === 'split');
    const first = table.querySelector<HTMLButtonElement>('button.ln');
    if (first !== null) {
      first.tabIndex = 0;
    }
  };

  return {
    path: article.dataset['path'] ?? '',
    element: table,
    show,
    rowOf: (key) => places.get(key),
    columns: () => (shown === 'split' ? 4 : 2),
    buttons: () => [...table.querySelectorAll<HTMLButtonElement>('button.ln')],
    range: (one, other) => rangeOf(rows, one, other),
    mark: (keys) => {
      const marked = new Set(keys);
      for (const button of table.querySelectorAll('button.ln')) {
        button.closest('td')?.classList.toggle('picked', marked.has(keyOf(button)));
      }
    },
  };
}

/** In a table of fixed layout the first row would give the widths, which spans them. */
function columns(): Element {
  const group = document.createElement('colgroup');
  for (const className of ['n', 'c', 'n', 'c']) {
    const column = document.createElement('col');
    column.className = className;
    group.append(column);
  }
  return group;
}

function readRow(row: Element): Row {
  const [oldLine, newLine] = [...row.querySelectorAll('td.n span')].map(
    (span) => Number(span.textContent) || undefined,
  );
  const code = row.lastElementChild ?? row;
  if (row.classList.contains('d2h-info')) {
    return { kind: 'info', oldLine: undefined, newLine: undefined, code };
  }
  const kind = oldLine === undefined ? 'added' : newLine === undefined ? 'deleted' : 'context';
  return { kind, oldLine, newLine, code };
}

function unifiedRows(rows: readonly Row[], isOpen: boolean, places: Map<LineKey, HTMLTableRowElement>): Element[] {
  return rows.map((row) => {
    const line = document.createElement('tr');
    line.className = CLASSES[row.kind];
    const numbers = cell('n');
    const key = ownKey(row);
    if (key !== undefined) {
      const [before, after] = [numberSpan(row.oldLine), numberSpan(row.newLine)];
      const own = key.startsWith('old') ? before : after;
      numbers.append(...[before, after].map((span) => (isOpen && span === own ? lineButton(row, key, span) : span)));
      places.set(key, line);
      if (row.kind === 'context') {
        places.set(`old ${row.oldLine ?? 0}`, line);
      }
    }
    line.append(numbers, row.code.cloneNode(true));
    return line;
  });
}

/** Deleted lines stand beside the added ones that follow them. */
function splitRows(rows: readonly Row[], isOpen: boolean, places: Map<LineKey, HTMLTableRowElement>): Element[] {
  const lines: Element[] = [];
  let deleted: Row[] = [];
  let added: Row[] = [];
  const flush = (): void => {
    for (let index = 0; index < Math.max(deleted.length, added.length); index += 1) {
      lines.push(pairRow(deleted[index], added[index], isOpen, places));
    }
    [deleted, added] = [[], []];
  };
  for (const row of rows) {
    if (row.kind === 'deleted' && added.length === 0) {
      deleted.push(row);
    } else if (row.kind === 'added') {
      added.push(row);
    } else {
      flush();
      if (row.kind === 'deleted') {
        deleted.push(row);
      } else {
        lines.push(row.kind === 'info' ? infoRow(row) : pairRow(row, row, isOpen, places));
      }
    }
  }
  flush();
  return lines;
}

function pairRow(
  left: Row | undefined,
  right: Row | undefined,
  isOpen: boolean,
  places: Map<LineKey, HTMLTableRowElement>,
): Element {
  const line = document.createElement('tr');
  const isSame = left === right;
  const side = (row: Row | undefined, number: number | undefined, isOwn: boolean): void => {
    const numbers = cell('n');
    const kind = row === undefined ? 'empty' : CLASSES[row.kind];
    const code = row === undefined ? cell('c') : (row.code.cloneNode(true) as HTMLElement);
    const key = row === undefined ? undefined : ownKey(row);
    if (row !== undefined && key !== undefined && isOwn) {
      numbers.append(isOpen ? lineButton(row, key, numberSpan(number)) : numberSpan(number));
      places.set(key, line);
    } else if (row !== undefined) {
      numbers.append(numberSpan(number));
      places.set(`old ${number ?? 0}`, line);
    }
    numbers.classList.add(kind);
    code.classList.add(kind);
    line.append(numbers, code);
  };
  side(left, left?.oldLine, !isSame);
  side(right, right?.newLine, true);
  return line;
}

function infoRow(row: Row): Element {
  const line = document.createElement('tr');
  line.className = CLASSES.info;
  const code = row.code.cloneNode(true) as HTMLTableCellElement;
  code.colSpan = 3;
  line.append(cell('n'), code);
  return line;
}

const CLASSES = { info: 'd2h-info', context: 'd2h-cntx', added: 'd2h-ins', deleted: 'd2h-del' } as const;

function ownKey({ oldLine, newLine }: Row): LineKey | undefined {
  return newLine !== undefined ? `new ${newLine}` : oldLine !== undefined ? `old ${oldLine}` : undefined;
}

/** One of them is in the tab order; arrow keys lead to the others. */
function lineButton(row: Row, key: LineKey, number: Element): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'ln';
  button.tabIndex = -1;
  button.dataset['line'] = key;
  const line = row.newLine ?? row.oldLine ?? 0;
  button.setAttribute('aria-label', buttonName(row.kind, line));
  button.append(number);
  return button;
}

function buttonName(kind: Row['kind'], line: number): string {
  switch (kind) {
    case 'added':
      return t('Comment on line {0}, added', line);
    case 'deleted':
      return t('Comment on line {0}, deleted', line);
    default:
      return t('Comment on line {0}', line);
  }
}

function numberSpan(number: number | undefined): HTMLElement {
  const span = document.createElement('span');
  span.textContent = number === undefined ? '' : String(number);
  return span;
}

function cell(className: string): HTMLTableCellElement {
  const made = document.createElement('td');
  made.className = className;
  return made;
}

function rangeOf(rows: readonly Row[], one: LineKey, other: LineKey): ReturnType<DiffTable['range']> {
  const keys = rows.map(ownKey);
  const [first, last] = [keys.indexOf(one), keys.indexOf(other)].sort((a, b) => a - b);
  const between = rows.slice(first, (last ?? 0) + 1);
  const isOld = one.startsWith('old') && other.startsWith('old');
  const lines = between.map(({ oldLine, newLine }) => (isOld ? oldLine : newLine)).filter((line) => line !== undefined);
  return { side: isOld ? 'old' : 'new', from: Math.min(...lines), to: Math.max(...lines) };
}
