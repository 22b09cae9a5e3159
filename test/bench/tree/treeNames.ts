/** The compared trees: the product's, and two that have as many rows and no other logic. */
export const TREES = ['ours', 'plain', 'dressed'] as const;
export type TreeName = (typeof TREES)[number];

/** The number of jobs, or rows, in each of them. */
export const ROWS = 10_000;
