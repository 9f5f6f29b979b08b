import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isSupportedNatsVersion, minimumNatsVersion } from '@holdfast/contracts';
import { root } from '../setup/paths.mjs';
import { releaseVersion } from './nats-release.ts';

const text = (path: string): string => readFileSync(join(root, path), 'utf8');

test('the launcher fetches a supported release, and Compose and the chart run one version that ADR 0021 names', () => {
  expect(isSupportedNatsVersion(releaseVersion)).toBe(true);
  const [compose, chart] = [
    /image: nats:(\S+)-alpine/.exec(text('docker/compose.yaml')),
    /repository: nats, tag: (\S+)-alpine/.exec(text('k8s/holdfast/values.yaml')),
  ].map((found) => found?.[1]);
  expect(compose).toBe(chart);
  expect(isSupportedNatsVersion(chart ?? '')).toBe(true);
  expect(text('docs/adr/0021-nats-server-version.md')).toContain(`The chart and Compose run ${chart}.`);
});

test.each([
  'README.md',
  'docs/running-locally.md',
  '.env.example',
  'docs/runbook.md',
  'docs/adr/0021-nats-server-version.md',
])('%s names the minimum version', (path) => {
  expect(text(path)).toContain(minimumNatsVersion);
});
