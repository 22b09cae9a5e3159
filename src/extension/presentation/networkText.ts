import * as vscode from 'vscode';
import { type NetworkDiagnosis, diagnoseNetworkError } from '../../protocol/errors';

/** Explains why there was no connection and what to check, from the error code. */
export function networkText(code: string | undefined): string {
  const trouble = diagnoseNetworkError(code);
  const why = trouble.at === 'proxy' ? proxyText(trouble) : serviceText(trouble);
  return vscode.l10n.t('Couldn’t reach the service: {0}', why);
}

function serviceText({ problem }: NetworkDiagnosis): string {
  switch (problem) {
    case 'name':
      return vscode.l10n.t(
        'host name not found (DNS). Check your network, the base URL, and “http.proxy” if you use a proxy.',
      );
    case 'refused':
      return vscode.l10n.t('connection refused. Check the base URL and your firewall.');
    case 'time':
      return vscode.l10n.t('the connection timed out. Check your network, proxy, and base URL.');
    case 'authority':
      return vscode.l10n.t(
        'its certificate isn’t trusted. If your company inspects TLS, install its root certificate and keep “http.systemCertificates” enabled.',
      );
    case 'host':
      return vscode.l10n.t('its certificate is for a different host. Check the base URL.');
    case 'date':
      return vscode.l10n.t(
        'its certificate has expired or isn’t valid yet. Check this machine’s clock, then contact the service’s administrator.',
      );
    case 'secure':
      return vscode.l10n.t('the TLS connection failed. Check that the base URL and port use https.');
    default:
      return vscode.l10n.t('the connection was lost. Check your network, proxy, and base URL.');
  }
}

function proxyText({ problem, status = '' }: NetworkDiagnosis): string {
  switch (problem) {
    case 'name':
      return vscode.l10n.t('the proxy’s host name wasn’t found. Check “http.proxy”.');
    case 'refused':
      return vscode.l10n.t('the proxy refused the connection. Check “http.proxy”.');
    case 'time':
      return vscode.l10n.t('the proxy didn’t respond in time. Check “http.proxy” and your network.');
    case 'login':
      return vscode.l10n.t(
        'the proxy requires a different user name and password. Set them in “http.proxy” or “http.proxyAuthorization”.',
      );
    case 'forbidden':
      return vscode.l10n.t(
        'the proxy blocked the connection (status {0}). Ask its administrator to allow the service’s URL.',
        status,
      );
    case 'setting':
      return vscode.l10n.t(
        '“http.proxy” isn’t an HTTP or HTTPS proxy URL. SOCKS isn’t supported. Change that setting.',
      );
    case 'authority':
      return vscode.l10n.t(
        'the proxy’s certificate isn’t trusted. Install its root certificate and keep “http.systemCertificates” enabled.',
      );
    case 'host':
      return vscode.l10n.t('the proxy’s certificate is for a different host. Check “http.proxy”.');
    case 'date':
      return vscode.l10n.t('the proxy’s certificate has expired or isn’t valid yet. Check this machine’s clock.');
    case 'secure':
      return vscode.l10n.t(
        'the TLS connection to the proxy failed. Check whether “http.proxy” should start with http:// or https://.',
      );
    default:
      return vscode.l10n.t('the connection to the proxy was lost. Check “http.proxy”.');
  }
}
