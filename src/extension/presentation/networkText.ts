import * as vscode from 'vscode';
import { type NetworkTrouble, networkTrouble } from '../../protocol/errors';

/** Explains why there was no connection and what to check, from the error code. */
export function networkText(code: string | undefined): string {
  const trouble = networkTrouble(code);
  const why = trouble.at === 'proxy' ? proxyText(trouble) : serviceText(trouble);
  return vscode.l10n.t('The service can’t be reached: {0}', why);
}

function serviceText({ problem }: NetworkTrouble): string {
  switch (problem) {
    case 'name':
      return vscode.l10n.t(
        'its name was not found (DNS). Check the network and the base URL; if the way out is through a proxy, set “http.proxy”.',
      );
    case 'refused':
      return vscode.l10n.t('nobody answers at its address (connection refused). Check the base URL and any firewall.');
    case 'time':
      return vscode.l10n.t('no connection came about in time. Check the network, the proxy and the base URL.');
    case 'authority':
      return vscode.l10n.t(
        'this machine does not trust the authority of its certificate. If your company’s proxy reads secure connections, add its certificate to the system’s and keep “http.systemCertificates” on.',
      );
    case 'host':
      return vscode.l10n.t('its certificate is made out to another host. Check the base URL.');
    case 'date':
      return vscode.l10n.t(
        'its certificate has expired or is not valid yet. Check this machine’s clock, then tell whoever runs it.',
      );
    case 'secure':
      return vscode.l10n.t('no secure connection (TLS) came about. Check that the base URL and port speak https.');
    default:
      return vscode.l10n.t('the connection broke. Check the network, the proxy and the base URL.');
  }
}

function proxyText({ problem, status = '' }: NetworkTrouble): string {
  switch (problem) {
    case 'name':
      return vscode.l10n.t('the name of the proxy was not found. Check “http.proxy”.');
    case 'refused':
      return vscode.l10n.t('nobody answers at the proxy’s address (connection refused). Check “http.proxy”.');
    case 'time':
      return vscode.l10n.t('the proxy did not answer in time. Check “http.proxy” and the network.');
    case 'login':
      return vscode.l10n.t(
        'the proxy wants a user name and a password, or other ones. Put them into “http.proxy”, or set “http.proxyAuthorization”.',
      );
    case 'forbidden':
      return vscode.l10n.t(
        'the proxy did not let the connection through (status {0}). Ask whoever runs it to allow the service’s address.',
        status,
      );
    case 'setting':
      return vscode.l10n.t(
        '“http.proxy” is no address of an http or https proxy; SOCKS is not supported. Change that setting.',
      );
    case 'authority':
      return vscode.l10n.t(
        'this machine does not trust the authority of the proxy’s certificate. Add it to the system’s and keep “http.systemCertificates” on.',
      );
    case 'host':
      return vscode.l10n.t('the proxy’s certificate is made out to another host. Check “http.proxy”.');
    case 'date':
      return vscode.l10n.t('the proxy’s certificate has expired or is not valid yet. Check this machine’s clock.');
    case 'secure':
      return vscode.l10n.t(
        'no secure connection (TLS) to the proxy came about. Check whether “http.proxy” begins with the right one of http:// and https://.',
      );
    default:
      return vscode.l10n.t('the connection to the proxy broke. Check “http.proxy”.');
  }
}
