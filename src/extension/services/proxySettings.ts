import * as vscode from 'vscode';
import type { NetworkSettings } from '../../client';
import type { Redactor } from '../../shared/util/redact';

/**
 * VS Code's settings for proxies and authorities as they are now, with the environment where a setting is silent
 * (https://code.visualstudio.com/docs/setup/network). `http.proxyStrictSSL` is left aside: it would switch off the
 * verification of certificates. Logins become known to the redactor.
 */
export function proxySettings(redactor: Redactor, env: NodeJS.ProcessEnv = process.env): NetworkSettings {
  const http = vscode.workspace.getConfiguration('http');
  const text = (name: string): string => {
    const value = http.get<unknown>(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const listed = http.get<unknown>('noProxy');
  const noProxy = Array.isArray(listed) ? listed.filter((each) => typeof each === 'string') : [];
  const inherited = [env['https_proxy'], env['HTTPS_PROXY'], env['http_proxy'], env['HTTP_PROXY']];
  const proxy = text('proxy') || (inherited.find((each) => each !== undefined && each !== '') ?? '');
  const proxyAuthorization = text('proxyAuthorization') || undefined;
  hide(redactor, proxy, proxyAuthorization);
  return {
    proxy: text('proxySupport') === 'off' ? '' : proxy,
    noProxy: noProxy.length > 0 ? noProxy : (env['no_proxy'] ?? env['NO_PROXY'] ?? '').split(','),
    proxyAuthorization,
    systemCertificates: http.get<unknown>('systemCertificates') !== false,
  };
}

function hide(redactor: Redactor, proxy: string, authorization: string | undefined): void {
  const login = /^(?:[a-z0-9+.-]+:\/\/)?([^/]*)@/i.exec(proxy)?.[1] ?? '';
  const password = login.slice(login.indexOf(':') + 1);
  for (const secret of [login, password, authorization?.replace(/^\S+\s+/, '') ?? '']) {
    redactor.add(secret);
    redactor.add(decoded(secret));
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
