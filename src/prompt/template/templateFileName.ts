/** Names of devices, which Windows takes for no file with any ending (Microsoft, “Naming Files, Paths, and Namespaces”). */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/;

/**
 * “Document an endpoint” → `document-an-endpoint.md`: letters and digits, as file systems and addresses take them. What
 * lies in a repository is checked out on any system. Undefined when there is neither letter nor digit.
 */
export function templateFileName(name: string): string | undefined {
  const words =
    name
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const short = Array.from(words.join('-')).slice(0, 60).join('').replace(/-$/, '');
  return short === '' ? undefined : `${DEVICE.test(short) ? `${short}-template` : short}.md`;
}
