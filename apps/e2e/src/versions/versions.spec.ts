// The previous version and this one beside each other, as in every deployment. This is the short form, an upgrade
// alone;
// `npm run versions` upgrades and rolls back every service.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { PrivateStack } from '../chaos/private-stack.ts';
import { closeConnections } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { chaosSeed } from '../stack/config.ts';
import { buildVersion, previousVersion } from './previous-version.ts';
import { runSideBySide } from './side-by-side.ts';

/** The system of record and its caller. */
const services = ['issuance', 'gateway'];
const folder = mkdtempSync(join(tmpdir(), 'holdfast-previous-'));
const ownStack = new PrivateStack(join(stack.home, 'versions'), 'issuance=2,gateway=2');

afterAll(async () => {
  await ownStack.remove();
  rmSync(folder, { recursive: true, force: true });
  closeConnections();
});

const previous = await previousVersion();
const itOrSkip = previous.skipped === undefined ? it : it.skip;
const versionBefore = previous.skipped ?? previous.commit.slice(0, 7);

itOrSkip(
  `loses and rejects no request when services of ${versionBefore} are replaced under load by those of this version`,
  async () => {
    if (previous.skipped !== undefined) return;
    const otherBuild = await buildVersion(previous.commit, folder);
    expect(
      await runSideBySide({
        stack: ownStack,
        otherBuild,
        services,
        rollback: false,
        seed: chaosSeed(),
        print: () => undefined,
      }),
    ).toEqual([]);
  },
  600_000,
);
