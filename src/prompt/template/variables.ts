/** Variables that become a block of context, on lines of its own. */
export const CONTEXT_VARIABLES = ['selection', 'symbol', 'changes'] as const;

/** Variables that become a word or two within a line. */
export const VALUE_VARIABLES = ['file', 'relativeFile', 'branch'] as const;

/** Variables that the user is asked for; what they ask stands after a colon. */
const ASKING_VARIABLES = ['input', 'pick'] as const;

export type ContextVariable = (typeof CONTEXT_VARIABLES)[number];
export type ValueVariable = (typeof VALUE_VARIABLES)[number];
export type AskingVariable = (typeof ASKING_VARIABLES)[number];
export type VariableName = ContextVariable | ValueVariable | AskingVariable;

/** Every variable, in the order in which they are offered. */
export const VARIABLES: readonly VariableName[] = [...CONTEXT_VARIABLES, ...VALUE_VARIABLES, ...ASKING_VARIABLES];

export function isContextVariable(name: string): name is ContextVariable {
  return CONTEXT_VARIABLES.some((each) => each === name);
}

export function isValueVariable(name: string): name is ValueVariable {
  return VALUE_VARIABLES.some((each) => each === name);
}

export function isAskingVariable(name: string): name is AskingVariable {
  return ASKING_VARIABLES.some((each) => each === name);
}
