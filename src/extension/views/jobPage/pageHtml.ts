import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** The folder of the page's script and style, and nothing else that it may load. */
export function pageRoots(extension: vscode.Uri): vscode.Uri[] {
  return [vscode.Uri.joinPath(extension, 'dist')];
}

/**
 * The document that the page's script draws in. Nothing runs in it but that script, and nothing is loaded from
 * anywhere but the extension: what it shows came from elsewhere.
 */
export function pageHtml(webview: vscode.Webview, extension: vscode.Uri, jobKey: string): string {
  const [dist = extension] = pageRoots(extension);
  const address = (name: string): string => attribute(webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString());
  const nonce = randomBytes(16).toString('base64url');
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${attribute(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${address('jobPage.css')}">
<script type="module" nonce="${nonce}" src="${address('jobPage.js')}"></script>
</head>
<body data-state="${attribute(JSON.stringify({ jobKey }))}"></body>
</html>`;
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
