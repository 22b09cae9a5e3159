/**
 * How urgent a state is. In a separate file, because the job page colors states by it and must not import `vscode`.
 */
export type Severity = 'running' | 'good' | 'plain' | 'waiting' | 'warning' | 'bad';

/** An icon of the editor, and its color. */
export interface Look {
  severity: Severity;
  icon: string;
  iconColor?: string | undefined;
}

export const WARNING_COLOR = 'problemsWarningIcon.foreground';
export const ERROR_COLOR = 'problemsErrorIcon.foreground';
