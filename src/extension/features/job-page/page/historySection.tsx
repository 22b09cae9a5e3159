import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Entry } from '../model';
import { useTools } from './host';
import { Actions, FoldedText, Icon, isSameDay, type Sign, Time } from './parts';

/** The prompts and the runs. */
export function HistorySection({ entries }: { entries: readonly Entry[] }): JSX.Element {
  const { words } = useTools();
  const isNewDay = ({ at }: Entry, index: number): boolean => !isSameDay(at, entries[index - 1]?.at ?? Date.now());
  return (
    <section class="history" aria-labelledby="history">
      <h2 id="history">{words.history}</h2>
      <ol class="entries">
        {entries.map((entry, index) => (
          <Row key={entry.id} entry={entry} isNewDay={isNewDay(entry, index)} />
        ))}
      </ol>
    </section>
  );
}

function Row({ entry, isNewDay }: { entry: Entry; isNewDay: boolean }): JSX.Element {
  const { id, at, tone, title, note, why, text = '', actions = [] } = entry;
  const name = useId();
  const describedBy = `${name} ${name}-at`;
  return (
    <li data-entry={id}>
      <Time at={at} isNewDay={isNewDay} id={`${name}-at`} />
      <Icon sign={signOf(entry)} tone={tone} />
      <div>
        <bdi class="title" id={name}>
          {title}
        </bdi>{' '}
        {note === undefined ? null : <bdi class="note">{note}</bdi>}
        {why === undefined ? null : <p class="note">{why}</p>}
        {text === '' ? null : <FoldedText text={text} fold={`entry ${id}`} describedBy={describedBy} />}
        <Actions actions={actions} entry={id} describedBy={describedBy} />
      </div>
    </li>
  );
}

/** The icon of a running state spins, which an entry in the list should not. */
function signOf({ kind, tone }: Entry): Sign {
  return kind !== 'state' ? kind : tone === 'running' ? 'state' : tone;
}
