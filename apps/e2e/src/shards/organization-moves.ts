// Moves of an organization between the shards of one deployment (docs/adr/0053-organization-moves.md).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from '@jest/globals';
import { shardedServices } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { underLoad } from '../chaos/chaos.ts';
import { checkAll } from '../chaos/checks.ts';
import { CustomerBrowsers, redirectUris } from '../chaos/customer-browsers.fixture.ts';
import type { PrivateStack } from '../chaos/private-stack.ts';
import { Client } from '../clients/client.ts';
import type { Problem } from '../clients/http.ts';
import { customerScopes } from '../clients/under-test.ts';
import { cleanEnvironment } from '../stack/config.ts';
import { query, rowsNaming } from '../stack/database.ts';
import { newShortId, root } from '../stack/stack.ts';

interface Status {
  shard: string;
  move?: { to: string };
  shards: { shard: string; service: string; rows: number; refuses: string }[];
}

/** @param ownStack has the shards `main` and `eu2` */
export function testOrganizationMoves(ownStack: PrivateStack): void {
  const move = (org: string, ...options: string[]) =>
    ownStack.operator<{ complete: boolean; steps: { step: string }[] }>('org', 'move', org, ...options);
  const statusOf = (org: string) => ownStack.operator<Status>('org', 'move', org, '--status');
  const asOnEu2 = () => ({ launcher: { ...ownStack.launcher, ...ownStack.launcher.shards!.eu2! } });

  /** Number of rows of each service on a shard. */
  async function rowsOn(org: string, shard: string): Promise<number[]> {
    const { shards } = await statusOf(org);
    return shards.filter((found) => found.shard === shard).map(({ rows }) => rows);
  }

  /** An organization on `main` with a customer who signs in. */
  async function newOrganization() {
    const org = newShortId();
    await ownStack.operator('org', 'create', org, '--shard', 'main');
    const app = await ownStack.newApp(org, 'shop', customerScopes, 'web', redirectUris);
    const shop = new Client(ownStack, app);
    const reader = new Client(
      ownStack,
      await ownStack.newApp(org, 'reader', ['audit:read', 'webhooks:manage'], 'service'),
    );
    const browsers = await CustomerBrowsers.of(ownStack, app);
    const offer = (await shop.offer()).body;
    const devices = await browsers.claim(offer);
    await browsers.signIn(offer.subject, devices);
    return { org, shop, reader, browsers, offer, devices };
  }
  type Organization = Awaited<ReturnType<typeof newOrganization>>;

  async function expectServed({ shop, browsers, offer, devices }: Organization): Promise<void> {
    const made = await eventually(async () => {
      const reply = await shop.offer();
      return reply.status === 201 && reply.body;
    });
    // Its change is visible at once, as for every read after a response that is not 503.
    const read = (subject: string) =>
      eventually(async () => {
        const reply = await shop.get(subject);
        return reply.status !== 503 && reply;
      });
    expect((await read(made.subject)).status).toBe(200);
    expect((await read(offer.subject)).body.credentials).toMatchObject([{ status: 'issued' }]);
    await browsers.signIn(offer.subject, devices);
    expect(browsers.errors).toEqual([]);
  }

  async function expectRefused({ shop, offer }: Organization): Promise<void> {
    for (const { status, body, headers } of [await shop.offer<Problem>(), await shop.get<Problem>(offer.subject)]) {
      expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' });
      expect(headers['retry-after']).toMatch(/^\d+$/);
    }
  }

  describe('a move under load', () => {
    it('loses no acknowledged change, keeps every proof, and wakes no old writer', async () => {
      const oracle = await underLoad(
        ownStack,
        { seed: 7, width: 3, pauseMs: 100, print: () => undefined },
        async (load, [shop]) => {
          const { org } = shop!.app;
          const progress = async () => {
            const goal = load.acknowledged + 20;
            await eventually(() => load.acknowledged >= goal, undefined, 120_000);
          };
          await progress();
          expect(await move(org, '--to', 'eu2', '--stop-after', 'copy')).toMatchObject({ complete: false });
          // They wake with all that they knew before the switch.
          for (const service of ['issuance', 'subjects', 'signals']) await ownStack.control('pause', service);
          expect(await move(org, '--to', 'eu2')).toMatchObject({ complete: true });
          await progress();
          for (const service of ['issuance', 'subjects', 'signals']) await ownStack.control('resume', service);
          await progress();
          expect((await statusOf(org)).shard).toBe('eu2');
        },
      );
      await move(oracle.org, '--delete-source');
      expect(await rowsOn(oracle.org, 'main')).toEqual(shardedServices.map(() => 0));
      expect(oracle.customers.length).toBeGreaterThan(5);
      expect(await checkAll(oracle)).toEqual([]);
      // Also on the shard that it has moved to, and where it was.
      const erased = oracle.customers.filter((customer) => customer.erased).map(({ subject }) => subject);
      expect((await rowsNaming(asOnEu2(), erased)).filter(({ text }) => !text.includes('subject.erased'))).toEqual([]);
      const log = await oracle.reader.wholeLog();
      expect(log.map(({ action }) => action)).toEqual(
        expect.arrayContaining(['organization.move_begin', 'organization.move']),
      );

      // And back, with what has happened meanwhile.
      await move(oracle.org, '--to', 'main');
      expect(await checkAll(oracle)).toEqual([]);
    });
  });

  describe('a move that is interrupted', () => {
    it('after any step refuses or serves whole, and continues when the command is repeated', async () => {
      const moved = await newOrganization();
      const { org } = moved;
      const before = await moved.reader.wholeLog();
      for (const step of ['check', 'begin', 'freeze', 'drain', 'fence', 'copy', 'switch', 'open'] as const) {
        expect(await move(org, '--to', 'eu2', '--stop-after', step)).toMatchObject({ complete: false });
        if (step === 'check' || step === 'begin') await expectServed(moved);
        else if (step === 'open') await expectServed(moved);
        else await eventually(() => expectRefused(moved));
      }
      expect(await move(org, '--to', 'eu2')).toMatchObject({ complete: true });
      await expectServed(moved);
      const log = await moved.reader.wholeLog();
      expect(log.slice(-before.length)).toEqual(before);
      expect(log.map(({ seq }) => seq)).toEqual(log.map((_, i) => log.length - i));
    });

    it('by a kill of the command continues when it is repeated', async () => {
      const moved = await newOrganization();
      const { org } = moved;
      for (const step of ['begin', 'fence', 'switch']) {
        await killedAt(step, org);
        await eventually(async () => expect((await statusOf(org)).shard).toMatch(/main|eu2/));
      }
      await eventually(() => move(org, '--to', 'eu2'));
      await expectServed(moved);
    });

    it('by --cancel before the switch leaves everything as it was', async () => {
      const moved = await newOrganization();
      const { org } = moved;
      await move(org, '--to', 'eu2', '--stop-after', 'copy');
      expect(await rowsOn(org, 'eu2')).not.toContain(0);
      const late = await ownStack.newApp(org, 'late', customerScopes);
      await move(org, '--cancel');
      expect(await rowsOn(org, 'eu2')).toEqual(shardedServices.map(() => 0));
      expect(await statusOf(org)).not.toHaveProperty('move');
      await expectServed(moved);
      // A change in directory was accepted meanwhile, and its record has waited.
      await eventually(async () => {
        const targets = (await moved.reader.wholeLog()).flatMap((event) => event.targets.map(({ id }) => id));
        expect(targets).toContain(late.clientId);
      });
    });

    it('by a difference of the copy is cancelled, and nothing has changed', async () => {
      const moved = await newOrganization();
      const { org } = moved;
      await move(org, '--to', 'eu2', '--stop-after', 'copy');
      await query(asOnEu2(), 'UPDATE audit.head SET late_ms = late_ms + 1 WHERE org = $1', [org]);
      await expect(move(org, '--to', 'eu2')).rejects.toThrow(/differs from the source in audit\.head .* as before/s);
      expect(await rowsOn(org, 'eu2')).toEqual(shardedServices.map(() => 0));
      await expectServed(moved);
    });
  });

  /** Starts the command as a process, and kills it when it has printed that a step is done. */
  async function killedAt(step: string, org: string): Promise<void> {
    const { databaseUrl, natsUrl, shards } = ownStack.launcher;
    const env = {
      NATS_URL: natsUrl,
      NATS_NKEY_SEED: ownStack.secrets.NATS_NKEY_SEED_OPERATOR!,
      SHARDS: `eu2=${shards!.eu2!.natsUrl}`,
      SHARD_DATABASE_URLS: `main=${databaseUrl};eu2=${shards!.eu2!.databaseUrl}`,
    };
    const command = spawn(
      process.execPath,
      [join(root, 'apps', 'cli', 'dist', 'main.js'), 'org', 'move', org, '--to', 'eu2'],
      { env: cleanEnvironment(env), stdio: ['ignore', 'pipe', 'ignore'] },
    );
    const ended = once(command, 'exit');
    for await (const line of createInterface(command.stdout)) if (line.startsWith(`${step}:`)) command.kill('SIGKILL');
    await ended;
  }
}
