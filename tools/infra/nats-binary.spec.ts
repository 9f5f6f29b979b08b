import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isSupportedNatsVersion, minimumNatsVersion } from '@holdfast/contracts';
import { root } from '../setup/paths.mjs';
import { releaseVersion } from './nats-release.ts';

const text = (path: string): string => readFileSync(join(root, path), 'utf8');

test('containers run the release that the launcher fetches, and it is a supported version', () => {
  expect(text('docker/compose.yaml')).toContain(`image: nats:${releaseVersion}-alpine`);
  expect(isSupportedNatsVersion(releaseVersion)).toBe(true);
});

test.each(['README.md', '.env.example', 'docs/runbook.md', 'docs/adr/0021-nats-server-version.md'])(
  '%s names the minimum version',
  (path) => {
    expect(text(path)).toContain(minimumNatsVersion);
  },
);
