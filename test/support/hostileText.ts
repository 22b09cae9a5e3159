/**
 * Texts that a service may send to be interpreted as more than text. Each is an attack with a placeholder for its
 * target.
 */
const SHAPES: readonly ((target: string, word: string) => string)[] = [
  (target, word) => `[${word}](${target})`,
  (target, word) => `[${word}](${target} "${word}")`,
  (target, word) => `[${word}](<${target}>)`,
  (target, word) => `![${word}](${target})`,
  (target, word) => `[![${word}](${target})](${target})`,
  (target, word) => `[${word}][1] [1]: ${target}`,
  (target, word) => `[${word}]\u200b(${target})`,
  (target, word) => `[${word}]\u202e(${target})`,
  (target, word) => `[${word}]\0(${target})`,
  (target, word) => `[${word}]\x1b[0m(${target})`,
  (target, word) => `[[${word}]](${target})`,
  (target, word) => `[${word}\\](${target})`,
  (target) => `<${target}>`,
  (target) => target,
  (target, word) => `${word}:${target}`,
  (target, word) => `<a href="${target}">${word}</a>`,
  (target) => `<img src="${target}" onerror="alert(1)">`,
  (target, word) => `<span style="background:url(${target})">${word}</span>`,
  (target) => `<iframe src="${target}"></iframe>`,
  (target) => `<svg><image href="${target}"/></svg>`,
  (target, word) => `**[${word}](${target})**`,
  (target, word) => `\`[${word}](${target})\``,
  (target, word) => `# [${word}](${target})`,
  (target, word) => `- [${word}](${target})`,
  (target, word) => `| [${word}](${target}) |`,
  (target, word) => `\u2066[${word}](${target})\u2069`,
];

const WORDS = ['Open', 'OK', '$(check)', '$(sync~spin)', '{0}', '\u202eniktO', '&lt;b&gt;', 'Update now'];

/** Needs no target. */
const ALONE = [
  '$(zap)',
  '$(sync~spin)',
  '$(git-pull-request) ready',
  '\\$(zap)',
  '$\u200b(zap)',
  '$\u202e(zap)',
  '$\0(zap)',
  '$($(zap))',
  '\u202edetcennoc\u202c',
  '\u2066left\u2069\u2067right\u2069',
  '\u200b\u200c\u200d\ufeff',
  '\x1b[31mred\x1b[0m',
  '\x1b]8;;https://evil.example\x07link\x1b]8;;\x07',
  '\x07\x08\x7f\x9b31m',
  'first\nsecond',
  'first\r\n2026-01-01 [info] all is well',
  'a\u2028b\u2029c',
  '{0} {1} {name} %s ${x} %command.createJob%',
  '<script>document.title = "run"</script>',
  '<details open ontoggle=alert(1)>',
  '&#x5b;x&#x5d;&#40;command:x&#41;',
  '*bold* _thin_ ~~gone~~ `code` # head',
  '---\n===\n***',
  '```js\nalert(1)\n```',
  '~~~\n<b>x</b>',
  'https\u2060://evil.example',
  'someone@evil.example',
  'www.evil.example/path',
  'WWW.EVIL.EXAMPLE',
  '\ud800 half',
  'x'.repeat(5000),
  '\u0301'.repeat(300),
];

/**
 * Texts that try to become links, icons, images or commands. The list is always the same.
 *
 * @param probe the address of a server that must receive no request
 * @param command a command that must not run
 */
export function hostileTexts(count: number, probe: string, command: string): string[] {
  const targets = [
    `command:${command}`,
    `command:${command}?%5B1%5D`,
    probe,
    `${probe}/p.png`,
    probe.replace('http:', 'HTTP:'),
    'https://evil.example/x',
    'file:///etc/passwd',
    'vscode://evil.evil/run',
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    `vscode-command:${command}`,
    'mailto:someone@evil.example',
    '//evil.example/x',
    `${probe}/a?b=c&d=%0a#e`,
    'https://user:word@evil.example/',
    'vscode-remote-resource:/etc/passwd',
  ];
  const led = targets.flatMap((target) => SHAPES.map((shape, index) => ({ target, shape, index })));
  // Spread over the list, so that any share of it contains some of each.
  const spread = led.toSorted((a, b) => ((a.index * 7 + rank(a)) % 97) - ((b.index * 7 + rank(b)) % 97));
  const texts = spread.map(({ target, shape }, index) => shape(target, WORDS[index % WORDS.length] ?? ''));
  const mixed = texts.flatMap((text, index) => {
    const alone = index % 3 === 0 ? ALONE[(index / 3) % ALONE.length] : undefined;
    return alone === undefined ? [text] : [text, `${index} ${alone}`];
  });
  if (mixed.length < count) {
    throw new Error(`there are ${mixed.length} texts only`);
  }
  return mixed.slice(0, count);

  function rank({ target }: { target: string }): number {
    return targets.indexOf(target) * 13;
  }
}

/** Hosts and schemes that the address of a pull request must not use, including look-alikes of other hosts. */
export function hostileLinks(): string[] {
  const host = 'github.com';
  const schemes = [
    ...['javascript', 'JAVASCRIPT', 'data', 'file', 'command', 'vscode', 'vscode-insiders', 'vscode-remote', 'ftp'],
    ...['ssh', 'git', 'blob', 'view-source', 'about', 'chrome', 'ws', 'wss', 'http', 'HTTP', 'mailto', 'tel', 'sms'],
    ...['ms-msdt', 'search-ms', 'intent', 'smb', 'ldap', 'jar', 'mhtml', 'vbscript', 'x-apple.systempreferences'],
  ];
  const signs = [' ', '\t', '\n', '\r', '\0', '\\', '\u00a0', '\u200b', '\u202e', '\u2028', '\u00ad', '\ufeff', '\x7f'];
  return [
    ...schemes.flatMap((scheme) => [`${scheme}:alert(1)`, `${scheme}://${host}/o/r/pull/1`]),
    ...signs.flatMap((sign) => [
      `${sign}https://${host}/`,
      `htt${sign}ps://${host}/`,
      `https:${sign}//${host}/`,
      `https://${host}${sign}.evil.example/`,
      `https://${host}/${sign}o`,
      `https://${host}/o${sign}`,
    ]),
    ...['me', 'me:word', ':word', ':', 'github.com', 'github.com%2fo%2fr', '%40', 'a%00b'].flatMap((user) => [
      `https://${user}@evil.example/`,
      `http://${user}@127.0.0.1/`,
    ]),
    ...'10.0.0.1 192.168.0.1 169.254.169.254 0.0.0.0 [::] [::ffff:127.0.0.1] 127.0.0.1.evil.example'.split(' '),
    ...['localhost.evil.example', 'localhost.', '1.127.0.0.1.nip.example', 'evil.example', '[fe80::1]'],
    ...[
      'https:',
      'https:/',
      'https://',
      'https:///',
      `https:${host}`,
      `https:/${host}`,
      `https:///${host}`,
      `//${host}`,
    ],
    ...[
      `https:////${host}`,
      `https:\\\\${host}`,
      `/\\${host}`,
      host,
      `/${host}`,
      '',
      ' ',
      'null',
      'undefined',
      '#',
      '?',
    ],
    ...['https://[::1', 'https://%', 'https://a b/', 'https://exa mple/', 'https://<>/', 'https://:443/', 'https://?x'],
    ...'https://host:99999/ https://host:port/ https://%00/ https://a%2fb/ https://#x https://[127.0.0.1]/'.split(' '),
  ].map((link) => (/^[\w.[\]:]+$/.test(link) && /\d|\.evil|^localhost|^evil/.test(link) ? `http://${link}/` : link));
}

/** Addresses whose host a browser would write differently. */
export const REWRITTEN_HOSTS: readonly string[] = [
  'https://g\u0456thub.com/o/r/pull/1',
  'https://githu\u0253.com/',
  'https://\uff47ithub.com/',
  'https://github.com%2eevil.example/',
  'https://%67ithub.com/',
  'https://github\u3002com/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://127.1/',
  'http://\u2460\u2461\u2466.0.0.1/',
  'http://[0:0::1]/',
];

/** Safe addresses whose host looks like another one, with the host that must be shown. */
export const LOOKALIKES: readonly (readonly [link: string, host: string])[] = [
  ['https://github.com.evil.example/', 'github.com.evil.example'],
  ['https://evil.example/github.com', 'evil.example'],
  ['https://evil.example?github.com', 'evil.example'],
  ['https://evil.example#@github.com', 'evil.example'],
];
