import { deepEqual, ok } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENT_FOLDERS } from '../../../src/local-service/agents/agentFolders';
import { KNOWN_AGENTS, type KnownAgent } from '../../../src/local-service/agents/knownAgents';
import { serveUsage } from '../../../src/local-service/commandLine';
import { checkoutRoot } from '../../support/vscode/paths';

const read = (path: string): string => readFileSync(join(checkoutRoot, path), 'utf8');

/** A line of the table in docs/local-service.md. */
function tableRow({ name, title, install, asking, tested }: KnownAgent): string {
  const { command, address } = install.params as { command?: string; address?: string };
  const how = command === undefined ? `<${address ?? ''}>` : `\`${command}\``;
  const asks = asking?.gap !== undefined ? 'not always' : tested?.with === 'model' ? 'yes' : 'not tested';
  const versions = tested && `${tested.with === 'model' ? '' : 'without a model: '}${tested.versions} (${tested.on})`;
  const needsSetting = AGENT_FOLDERS[name].nested !== undefined;
  const confined = tested?.with !== 'model' ? 'no' : needsSetting ? 'with a setting' : 'yes';
  return `| ${title} | \`${name}\` | ${how} | ${asks} | ${confined} | ${versions ?? 'no'} |`;
}

describe('the known agents', () => {
  it('are those of the setting, which says which ones were not tested', () => {
    const { contributes } = JSON.parse(read('package.json')) as {
      contributes: { configuration: { properties: Record<string, Record<string, string[]>> }[] };
    };
    const settings = Object.assign({}, ...contributes.configuration.map(({ properties }) => properties)) as Record<
      string,
      Record<string, string[]>
    >;
    const { enum: names = [], enumItemLabels = [], enumDescriptions = [] } = settings['docsAgent.local.agent'] ?? {};
    deepEqual(
      names.map((name, index) => [name, enumItemLabels[index], enumDescriptions[index]]).slice(1, -2),
      KNOWN_AGENTS.map(({ name, title, tested }) => {
        return [name, title, tested?.with === 'model' ? title : '%setting.agent.untested%'];
      }),
    );
  });

  it('are those of the table in docs/local-service.md', () => {
    const lines = read('docs/local-service.md').replace(/ +/g, ' ').split('\n');
    const first = lines.findIndex((line) => line.startsWith('| Agent |'));
    const table = lines.slice(first + 2, lines.indexOf('', first));
    deepEqual(table, KNOWN_AGENTS.map(tableRow));
  });

  for (const [place, text] of [
    ['README', read('README.md')],
    ['--help', serveUsage('').replace(/\s+/g, ' ')],
  ] as const) {
    it(`are all in ${place}, in the order of preference`, () => {
      ok(text.includes(KNOWN_AGENTS.map(({ name, title }) => (place === 'README' ? title : name)).join(', ')));
    });
  }
});
