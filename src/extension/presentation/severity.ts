/** How urgent a state is. The job page colors it so, and knows no editor, so the type has a file of its own. */
export type Severity = 'running' | 'good' | 'plain' | 'waiting' | 'warning' | 'bad';

export interface StateLook {
  severity: Severity;
  icon: string;
  iconColor?: string;
}
