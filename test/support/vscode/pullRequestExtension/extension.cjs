// Stands in for “GitHub Pull Requests”: stores the addresses it was asked to open where other code in the host can find
// them.
const { window } = require('vscode');

exports.activate = ({ subscriptions }) => {
  const seen = (globalThis.docsAgentSeenAddresses ??= []);
  subscriptions.push(window.registerUriHandler({ handleUri: (uri) => void seen.push(uri.toString(true)) }));
};
