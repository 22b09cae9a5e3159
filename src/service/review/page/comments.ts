import { type DiffTable, keyOf, type LineKey, type View } from './diffTable';
import type { Draft, Drafts } from './drafts';
import { t } from './words';

const MAX_LENGTH = 5_000;

/** Comments on the lines of all files. */
export interface Comments {
  show(view: View): void;
  /** Takes away the fields of drafts that are no more. */
  refresh(): void;
}

/** @param say tells a screen reader */
export function openComments(tables: readonly DiffTable[], drafts: Drafts, say: (words: string) => void): Comments {
  const rows = new Map<Draft, HTMLTableRowElement>();
  /** Where a range begins. */
  let anchor: { table: DiffTable; key: LineKey } | undefined;
  let opened: Draft | undefined;
  /** True while the arrow keys take a range. */
  let isPicking = false;

  const place = (table: DiffTable, draft: Draft): HTMLTableRowElement => {
    const row = rows.get(draft) ?? editorRow(draft, { drafts, remove: (each) => remove(table, each) });
    rows.set(draft, row);
    row.querySelector('td')?.setAttribute('colspan', String(table.columns()));
    const line = table.rowOf(`${draft.side} ${draft.to}`);
    // Behind the comments that stand there already.
    let after: Element | undefined = line;
    while (after?.nextElementSibling?.classList.contains('editor') === true) {
      after = after.nextElementSibling;
    }
    after?.after(row);
    return row;
  };

  const remove = (table: DiffTable, draft: Draft): void => {
    drafts.remove(draft);
    rows.get(draft)?.remove();
    rows.delete(draft);
    table.mark([]);
    focusLine(table, `${draft.side} ${draft.to}`);
  };

  const open = (table: DiffTable, range: Omit<Draft, 'text' | 'path'>): void => {
    const draft = drafts.at({ path: table.path, ...range });
    opened = draft;
    isPicking = false;
    table.mark(keysOf(range));
    place(table, draft).querySelector('textarea')?.focus();
  };

  /** The comment that was begun on the first line goes on as one on the range. */
  const extend = (table: DiffTable, from: LineKey, to: LineKey): void => {
    const range = table.range(from, to);
    const begun = opened;
    open(table, range);
    if (begun !== undefined && begun !== opened && `${begun.side} ${begun.from}` === from && begun.from === begun.to) {
      const text = begun.text;
      drafts.remove(begun);
      rows.get(begun)?.remove();
      rows.delete(begun);
      const field = opened === undefined ? undefined : rows.get(opened)?.querySelector('textarea');
      if (opened?.text === '' && text !== '' && field != null) {
        field.value = text;
        drafts.set(opened, text);
      }
    }
  };

  for (const table of tables) {
    const onClick = (event: Event): void => {
      // All of the cell is there to be hit.
      const button = (event.target as Element).closest('td.n')?.querySelector('button.ln');
      if (button == null || !(event instanceof MouseEvent)) {
        return;
      }
      const key = keyOf(button);
      // A click that a key made has no count; its range was taken by the arrow keys.
      const wantsRange = event.shiftKey || (isPicking && event.detail === 0);
      moveTabStop(table, button);
      if (wantsRange && anchor?.table === table && anchor.key !== key) {
        extend(table, anchor.key, key);
      } else {
        anchor = { table, key };
        open(table, table.range(key, key));
      }
    };
    const onKey = (event: Event): void => {
      const button = (event.target as Element).closest('button.ln');
      if (button === null || !(event instanceof KeyboardEvent)) {
        return;
      }
      const target = next(table, button, event.key);
      if (target === undefined) {
        return;
      }
      event.preventDefault();
      if (event.shiftKey) {
        anchor = isPicking && anchor?.table === table ? anchor : { table, key: keyOf(button) };
        isPicking = true;
        const range = table.range(anchor.key, keyOf(target));
        table.mark(keysOf(range));
        say(range.from === range.to ? t('Line {0}', range.from) : t('Lines {0} to {1}', range.from, range.to));
      } else {
        table.mark([]);
        isPicking = false;
        anchor = { table, key: keyOf(target) };
      }
      moveTabStop(table, target);
      target.focus();
    };
    table.element.addEventListener('click', onClick);
    table.element.addEventListener('keydown', onKey);
  }

  return {
    show: (view) => {
      for (const table of tables) {
        table.show(view);
        drafts
          .all()
          .filter(({ path }) => path === table.path)
          .forEach((draft) => place(table, draft));
      }
    },
    refresh: () => {
      const present = new Set(drafts.all());
      for (const [draft, row] of rows) {
        if (!present.has(draft)) {
          row.remove();
          rows.delete(draft);
        }
      }
      tables.forEach((table) => table.mark([]));
    },
  };
}

function keysOf({ side, from, to }: Omit<Draft, 'text' | 'path'>): LineKey[] {
  return Array.from({ length: to - from + 1 }, (_, index): LineKey => `${side} ${from + index}`);
}

function next(table: DiffTable, button: Element, key: string): HTMLButtonElement | undefined {
  const all = table.buttons();
  const at = all.findIndex((each) => each === button);
  const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 };
  const wanted = steps[key];
  return wanted === undefined ? undefined : all[Math.min(Math.max(wanted, 0), all.length - 1)];
}

function moveTabStop(table: DiffTable, target: Element): void {
  for (const button of table.buttons()) {
    button.tabIndex = button === target ? 0 : -1;
  }
}

function focusLine(table: DiffTable, key: LineKey): void {
  const button = table.buttons().find((each) => keyOf(each) === key);
  if (button !== undefined) {
    moveTabStop(table, button);
    button.focus();
  }
}

interface EditorParts {
  drafts: Drafts;
  remove: (draft: Draft) => void;
}

function editorRow(draft: Draft, { drafts, remove }: EditorParts): HTMLTableRowElement {
  const { from, to } = draft;
  const lines = from === to ? t('line {0}', from) : t('lines {0} to {1}', from, to);
  const where = draft.side === 'old' ? t('{0} before the change', lines) : lines;

  const field = document.createElement('textarea');
  field.rows = 3;
  field.maxLength = MAX_LENGTH;
  field.value = draft.text;
  field.setAttribute('aria-label', t('Your comment'));
  field.placeholder = t('What should the agent change here?');
  field.addEventListener('input', () => drafts.set(draft, field.value));
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && field.value.trim() === '') {
      remove(draft);
    }
  });

  const title = document.createElement('p');
  title.className = 'where';
  title.textContent = t('Comment on {0}', where);
  const away = document.createElement('button');
  away.type = 'button';
  away.textContent = t('Remove');
  away.addEventListener('click', () => remove(draft));

  const group = document.createElement('div');
  group.className = 'comment';
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', t('Comment on {0} of {1}', where, draft.path));
  group.append(title, field, away);
  const cell = document.createElement('td');
  cell.append(group);
  const row = document.createElement('tr');
  row.className = 'editor';
  row.append(cell);
  return row;
}
