// The database host is lost while customers and programs use the stack, and restored by the commands of the runbook:
// with the received write-ahead log nothing is missing, and with a dump what is missing is named.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { backupPrograms, eventually } from '@holdfast/testing';
import { underLoad } from '../chaos/chaos.ts';
import { checkAll } from '../chaos/checks.ts';
import { closeConnections } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { chaosSeed } from '../stack/config.ts';
import { loseNothing, restoreDump } from './drill.ts';
import { RestorableStack } from './restorable-stack.ts';

const bin = backupPrograms();
const seed = chaosSeed();
const title = bin ? `HOLDFAST_CHAOS_SEED=${seed}` : 'skipped: no pg_basebackup; on Debian: apt-get install postgresql';

(bin ? describe : describe.skip)(`the restore of a lost database host (${title})`, () => {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const options = { seed, width: 3, pauseMs: 100, changes: 12, print };
  let ownStack: RestorableStack;
  beforeAll(async () => {
    ownStack = new RestorableStack(join(stack.home, 'restore-drill'), bin!);
    await ownStack.start();
  });
  afterAll(async () => {
    await ownStack.remove();
    closeConnections();
  });

  it('loses no acknowledged change when the write-ahead log was received synchronously', async () => {
    expect(await loseNothing(ownStack, options, false)).toEqual([]);
  });

  it('keeps everything until the dump, names the loss after it, and erases again', async () => {
    const { errors, lost, org, witnessed, restored, oracle } = await restoreDump(ownStack, options);
    expect(errors).toEqual([]);
    expect(lost).toBeGreaterThan(0);
    const found = new RegExp(`log of ${org} has (\\d+) entries, and a checkpoint has signed (\\d+): .* lacks (\\d+)`);
    const [entries = 0, signed = 0, missing = 0] = (found.exec(restored.named) ?? []).slice(1).map(Number);
    expect(signed).toBeGreaterThanOrEqual(witnessed);
    expect(missing).toBe(signed - entries);
    expect(missing).toBeGreaterThan(0);
    // Audit does not sign a second history of this log.
    const checkpoint = await oracle.reader.call('GET', `${oracle.reader.api}/admin/audit/checkpoint`);
    expect(checkpoint.status).toBe(503);
  });

  it('leaves a stack that works', async () => {
    const oracle = await underLoad(ownStack, options, async (load) => {
      await eventually(() => load.acknowledged >= 10, '10 changes', 120_000);
    });
    expect(await checkAll(oracle)).toEqual([]);
  });
});
