/** The trees that are compared: the product's, and two that hold as many rows and know nothing else. */
export const TREES = ['ours', 'plain', 'dressed'] as const;
export type TreeName = (typeof TREES)[number];

/** How many jobs, and rows, each of them has. */
export const ROWS = 10_000;
