import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

/** The only folder the page may load from: that of its script and style. */
export function pageRoots(extension: vscode.Uri): vscode.Uri[] {
  return [vscode.Uri.joinPath(extension, 'dist')];
}

/**
 * The HTML document that the page's script renders into. It runs only that script and loads only from the extension,
 * because the content it shows is untrusted.
 */
export function pageHtml(webview: vscode.Webview, extension: vscode.Uri, jobKey: string): string {
  const [dist = extension] = pageRoots(extension);
  const address = (name: string): string => attribute(webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString());
  const nonce = randomBytes(16).toString('base64url');
  const policy = [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `img-src data:`,
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
<body data-job-key="${attribute(jobKey)}"></body>
</html>`;
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
