/** A release of VS Code that tests run on, as published in the npm registry. */
export interface Release {
  /** The VS Code version. code-server 4.X.Y contains VS Code 1.X.Y. */
  version: string;
  /** The Node that runs the extension hosts of this release. */
  node: string;
}

/**
 * The oldest release that package.json supports, with the last patches of that month, and the newest in the registry.
 */
export const RELEASES = {
  oldest: { version: '1.103.2', node: '22.17.0' },
  newest: { version: '1.139.1', node: '24.18.1' },
} as const satisfies Record<string, Release>;

/** The release that DOCS_AGENT_TEST_VSCODE selects, `oldest` or `newest`; the newest by default. */
export function chosenRelease(environment: NodeJS.ProcessEnv = process.env): Release {
  const name = environment['DOCS_AGENT_TEST_VSCODE'] ?? 'newest';
  if (name !== 'oldest' && name !== 'newest') {
    throw new Error(`DOCS_AGENT_TEST_VSCODE is ${name}; it must be oldest or newest`);
  }
  return RELEASES[name];
}
