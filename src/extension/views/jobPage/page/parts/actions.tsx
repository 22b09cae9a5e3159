import type { JSX } from 'preact';
import type { Action } from '../../model';
import { useTools } from '../context';

interface ActionsProps {
  actions: readonly Action[];
  /** The entry of the time line that they belong to. */
  entry?: string;
  /** The element that says of what they are, where the same ones stand elsewhere. */
  describedBy?: string;
  /** How the first one looks; the others look quieter. */
  first?: 'primary' | 'secondary';
}

export function Actions({ actions, entry, describedBy, first = 'secondary' }: ActionsProps): JSX.Element | null {
  const { post } = useTools();
  return actions.length === 0 ? null : (
    <div class="actions">
      {actions.map(({ id, label }, index) => (
        <button
          key={id}
          type="button"
          aria-describedby={describedBy}
          class={index === 0 ? first : 'secondary'}
          onClick={() => post({ type: 'action', id, ...(entry === undefined ? {} : { entry }) })}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
