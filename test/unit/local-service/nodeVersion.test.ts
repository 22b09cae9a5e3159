import { match, strictEqual } from 'node:assert/strict';
import { nodeProblem } from '../../../src/local-service/nodeVersion';

describe('Node version check of the service', () => {
  for (const version of ['22.15.0', '22.22.1', '23.11.0', '24.18.1', '100.0.0']) {
    it(`accepts ${version}`, () => strictEqual(nodeProblem(version), undefined));
  }

  for (const version of ['22.14.9', '20.19.0', '18.20.8', '8.0.0']) {
    it(`rejects ${version} and names the required version`, () => {
      match(nodeProblem(version) ?? '', new RegExp(`${version.replaceAll('.', '\\.')}.*22\\.15 or newer`));
    });
  }
});
