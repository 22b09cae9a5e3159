// Stands in for “GitHub Authentication”: somebody is signed in, with a token that is good for nothing.
const { EventEmitter, authentication } = require('vscode');

exports.activate = ({ subscriptions }) => {
  const account = { id: '1', label: 'robin' };
  const session = { id: 'session', accessToken: 'gho_session-of-this-test', account, scopes: ['repo'] };
  const changed = new EventEmitter();
  const provider = {
    onDidChangeSessions: changed.event,
    getSessions: async () => [session],
    createSession: async () => session,
    removeSession: async () => undefined,
  };
  subscriptions.push(changed, authentication.registerAuthenticationProvider('github', 'GitHub', provider));
};
