/** What a window opens, and options that only a server in suite mode accepts. */
export interface WindowContent {
  /** Absolute path of the workspace folder or of a `.code-workspace` file; an empty window when absent. */
  folder?: string | undefined;
  extensionDevelopmentPath?: readonly string[];
  extensionTestsPath?: string;
  /** Any other key of the payload. */
  payload?: readonly (readonly [string, string])[];
  connectionToken?: string;
}

/** The address of a window of the server on this port of 127.0.0.1. */
export function workbenchUrl(port: number, content: WindowContent = {}): string {
  const remote = (path: string): string => `vscode-remote://127.0.0.1:${port}${path}`;
  const payload = [
    ...(content.extensionDevelopmentPath ?? []).map((path) => ['extensionDevelopmentPath', remote(path)]),
    ...(content.extensionTestsPath === undefined ? [] : [['extensionTestsPath', remote(content.extensionTestsPath)]]),
    ...(content.payload ?? []),
  ];
  const url = new URL(`http://127.0.0.1:${port}/`);
  if (content.connectionToken !== undefined) {
    url.searchParams.set('tkn', content.connectionToken);
  }
  if (content.folder === undefined) {
    url.searchParams.set('ew', 'true');
  } else {
    url.searchParams.set(content.folder.endsWith('.code-workspace') ? 'workspace' : 'folder', content.folder);
  }
  if (payload.length > 0) {
    url.searchParams.set('payload', JSON.stringify(payload));
  }
  return url.href;
}
