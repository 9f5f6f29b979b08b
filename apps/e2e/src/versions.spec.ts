// The version before the last change and this one beside each other, as in every deployment: the short form, upgrade
// alone.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { PrivateStack } from './chaos/private-stack.ts';
import { chaosSeed } from './config.ts';
import { closeConnections } from './http.ts';
import { stack } from './under-test.ts';
import { buildVersion, previousVersion } from './versions/previous-version.ts';
import { sideBySide } from './versions/side-by-side.ts';

/** The system of record and who asks it: the long form (npm run versions) replaces all. */
const services = ['issuance', 'gateway'];
const folder = mkdtempSync(join(tmpdir(), 'holdfast-previous-'));
const own = new PrivateStack(join(stack.home, 'versions'), 'issuance=2,gateway=2');

afterAll(async () => {
  await own.remove();
  rmSync(folder, { recursive: true, force: true });
  closeConnections();
}, 60_000);

const previous = await previousVersion();
const titled = previous.skipped === undefined ? it : it.skip;

titled(
  `loses nothing and refuses nothing when services of ${previous.skipped ?? previous.commit.slice(0, 7)} are replaced by this version's under load`,
  async () => {
    if (previous.skipped !== undefined) return;
    await buildVersion(previous.commit, folder);
    expect(
      await sideBySide({
        stack: own,
        other: folder,
        services,
        rollback: false,
        seed: chaosSeed(),
        print: () => undefined,
      }),
    ).toEqual([]);
  },
  600_000,
);
