// Stands in for “GitHub Pull Requests”: keeps the addresses that it was asked to open where other code of the host finds them.
const { window } = require('vscode');

exports.activate = ({ subscriptions }) => {
  const seen = (globalThis.docsAgentSeenAddresses ??= []);
  subscriptions.push(window.registerUriHandler({ handleUri: (uri) => void seen.push(uri.toString(true)) }));
};
