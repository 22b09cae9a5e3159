import * as vscode from 'vscode';

/** Completes variables in a team's template files; loaded with the first completion. */
export function registerTemplateCompletion(): vscode.Disposable {
  return vscode.languages.registerCompletionItemProvider(
    { pattern: '**/.docs-agent/prompts/*.md' },
    {
      provideCompletionItems: async (document, at) =>
        (await import('./templateVariables')).completeVariables(document, at),
    },
    '{',
  );
}
