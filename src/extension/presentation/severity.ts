/**
 * How urgent a state is. In a separate file, because the job page colors states by it and must not import `vscode`.
 */
export type Severity = 'running' | 'good' | 'plain' | 'waiting' | 'warning' | 'bad';

export interface StateLook {
  severity: Severity;
  icon: string;
  iconColor?: string;
}
