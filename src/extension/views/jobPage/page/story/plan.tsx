import type { JSX } from 'preact';
import type { Story } from '../../model';
import { useTools } from '../context';
import { Icon, type Sign } from '../parts/icon';

const LOOK = {
  pending: { sign: 'pending', tone: 'plain' },
  in_progress: { sign: 'running', tone: 'running' },
  completed: { sign: 'good', tone: 'good' },
} as const satisfies Record<Story['plan'][number]['state'], { sign: Sign; tone: string }>;

/** The agent's plan as it stands. */
export function Plan({ steps }: { steps: Story['plan'] }): JSX.Element | null {
  const { words } = useTools();
  return steps.length === 0 ? null : (
    <div class="plan">
      <h3 id="plan">{words.plan}</h3>
      <ol aria-labelledby="plan">
        {steps.map(({ text, state }, index) => (
          <li key={index} class={state}>
            <Icon {...LOOK[state]} />
            <div>
              <bdi>{text}</bdi> <span class="what">{words.stepStates[state]}</span>
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}
