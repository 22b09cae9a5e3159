/** A release of VS Code that tests run on, as the npm registry holds it. */
export interface Release {
  /** Of VS Code. code-server 4.X.Y carries VS Code 1.X.Y. */
  version: string;
  /** The Node that this release runs its extension hosts on. */
  node: string;
}

/** The oldest that package.json names, with the last corrections of that month, and the newest in the registry. */
export const RELEASES = {
  oldest: { version: '1.103.2', node: '22.17.0' },
  newest: { version: '1.139.1', node: '24.18.1' },
} as const satisfies Record<string, Release>;

/** The release that DOCS_AGENT_TEST_VSCODE names, `oldest` or `newest`; without it the newest. */
export function chosenRelease(environment: NodeJS.ProcessEnv = process.env): Release {
  const name = environment['DOCS_AGENT_TEST_VSCODE'] ?? 'newest';
  if (name !== 'oldest' && name !== 'newest') {
    throw new Error(`DOCS_AGENT_TEST_VSCODE is ${name}; it must be oldest or newest`);
  }
  return RELEASES[name];
}
