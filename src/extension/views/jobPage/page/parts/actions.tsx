import type { JSX } from 'preact';
import type { Action } from '../../model';
import { useTools } from '../context';

/** The `id` of the box in which a follow-up is typed. */
export const FOLLOW_UP_FIELD = 'prompt';

interface ActionsProps {
  actions: readonly Action[];
  /** The entry of the time line that they belong to. */
  entry?: string;
  /** The element that says of what they are, where the same ones stand elsewhere. */
  describedBy?: string;
}

export function Actions({ actions, entry, describedBy }: ActionsProps): JSX.Element | null {
  const { post } = useTools();
  const act = ({ id, entry: own = entry, leadsTo }: Action): void => {
    if (leadsTo === 'followUp') {
      document.getElementById(FOLLOW_UP_FIELD)?.focus();
    } else {
      post({ type: 'action', id, ...(own === undefined ? {} : { entry: own }) });
    }
  };
  return actions.length === 0 ? null : (
    <div class="actions">
      {actions.map((action) => (
        <button
          key={action.id}
          type="button"
          aria-describedby={describedBy}
          class={action.isPrimary === true ? 'primary' : 'secondary'}
          onClick={() => act(action)}
        >
          {action.label}
        </button>
      ))}
    </div>
  );
}
