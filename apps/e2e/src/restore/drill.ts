import type { Operation } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { underLoad, type Load, type LoadOptions, type Oracle } from '../chaos/chaos.ts';
import { checkAll, checkErasures, checkEvents, checkRecords, checkStates } from '../chaos/checks.ts';
import type { AcknowledgedCustomer } from '../chaos/customer.ts';
import { Client } from '../clients/client.ts';
import { GroupWriter } from './group-writer.ts';
import { InvitedPeople } from './invited-people.ts';
import type { RestorableStack, Restored } from './restorable-stack.ts';

export interface DrillOptions extends LoadOptions {
  /** Changes by the app before the backup, and again between the backup and the loss. */
  changes: number;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const grants: Operation[] = ['groups:manage', 'users:read'];
const untilMore = (load: Load, count: number) => {
  const goal = load.acknowledged + count;
  return eventually(() => load.acknowledged >= goal, `${count} further changes`, 300_000);
};

/** An app that writes through the Admin API, and people of the organization of these clients. */
async function admin({ stack, app: { org } }: Client): Promise<{ groups: GroupWriter; people: InvitedPeople }> {
  const program = new Client(stack, await stack.newApp(org, 'admin', grants, 'service'));
  return { groups: new GroupWriter(program), people: new InvitedPeople(program) };
}

/**
 * The database host is lost under load, and restored from a base backup and the write-ahead log that was received until
 * then. The load continues as soon as the services are back. @returns everything that was acknowledged and is not there
 */
export async function loseNothing(
  stack: RestorableStack,
  { changes, ...options }: DrillOptions,
  loseStreams: boolean,
): Promise<string[]> {
  let [groups, people]: [GroupWriter?, InvitedPeople?] = [];
  let [recoveredMs, base]: [number, string] = [0, ''];
  let restored: Awaited<ReturnType<RestorableStack['loseAndRecover']>>;
  const oracle = await underLoad(stack, options, async (load, [shop]) => {
    ({ groups, people } = await admin(shop!));
    let isOver = false;
    const writing = groups.runUntil(() => isOver);
    try {
      await people.invite(3);
      await untilMore(load, changes);
      base = await stack.takeBackup('base');
      await people.removeOne();
      await stack.copyLedger();
      await people.removeOne();
      await untilMore(load, changes);
      restored = await stack.loseAndRecover({ loseStreams });
      await untilMore(load, 1);
      recoveredMs = performance.now() - restored.lostAt;
      await untilMore(load, changes);
    } finally {
      isOver = true;
    }
    await writing;
  });
  oracle.attempts.push(...groups!.client.attempts);
  const lost = [...(await checkAll(oracle)), ...(await groups!.check()), ...(await people!.check())];
  const { databaseMs, servicesMs, named, logSize } = restored!;
  options.print(
    `  ${oracle.customers.length} customers and ${groups!.groups.size} groups acknowledged, ${lost.length} lost. ` +
      `Base backup ${base}, write-ahead log ${logSize}; the database was back after ${seconds(databaseMs)}, ` +
      `the services after ${seconds(servicesMs)}, the first change after ${seconds(recoveredMs)}; ` +
      `streams ${loseStreams ? 'lost' : 'kept'}`,
  );
  return [...lost, ...(named.includes('the backup lacks') ? [`the complete log was called incomplete: ${named}`] : [])];
}

/** What a dump must keep, what was lost since, and what the command says about it. */
export interface AfterDump {
  errors: string[];
  /** Customers whose acknowledged changes were lost, because they are newer than the dump. */
  lost: number;
  org: string;
  /** Entries of the newest checkpoint that a reader of the audit log has kept. */
  witnessed: number;
  restored: Restored;
  oracle: Oracle;
}

/**
 * A dump is made under load; customers and people are erased after it; then database and streams are lost, and the dump
 * is restored. What was acknowledged before the dump began must be there, and everybody who was erased since must not.
 */
export async function restoreDump(stack: RestorableStack, { changes, ...options }: DrillOptions): Promise<AfterDump> {
  let kept: AcknowledgedCustomer[] = [];
  let people: InvitedPeople;
  let size = '';
  const oracle = await underLoad(stack, options, async (load, [shop], customers) => {
    ({ people } = await admin(shop!));
    await people.invite(2);
    await untilMore(load, changes);
    await eventually(() => customers.filter(({ erased }) => !erased).length >= 3, 'three customers', 300_000);
    kept = [...customers];
    size = await stack.takeBackup('dump');
    const victim = kept.find(({ erased }) => !erased)!;
    const { status } = await shop!.erase(victim.subject);
    if (status !== 204) throw new Error(`the erasure of ${victim.subject} returned ${status}`);
    victim.erased = true;
    kept.splice(kept.indexOf(victim), 1);
    await people.removeOne();
    await untilMore(load, changes);
  });
  await stack.copyLedger();
  const restored = await stack.loseAndLoadDump();

  const { shop, reader, customers } = oracle;
  let errors: string[] = [];
  await eventually(async () => {
    const present = kept.filter(({ erased }) => !erased);
    errors = [
      ...(await checkStates(shop, kept)),
      ...checkEvents(await reader.feed(), kept),
      ...checkRecords(await reader.wholeLog(), present),
      ...(await checkErasures(oracle)),
      ...(await people.check()),
    ];
    return errors.length === 0;
  }).catch((error: Error) => void (errors.length === 0 && errors.push(String(error))));
  const newer = customers.filter((customer) => !kept.includes(customer) && !customer.erased);
  const lost = (await checkStates(shop, newer)).length;
  options.print(
    `  dump of ${size}: ${kept.length} customers were acknowledged before it, and ${errors.length} errors found; ` +
      `of ${newer.length} later ones ${lost} are lost; the database was back after ${seconds(restored.databaseMs)}, ` +
      `the services after ${seconds(restored.servicesMs)}`,
  );
  const witnessed = Math.max(...oracle.checkpointFollower.checkpoints.keys());
  return { errors, lost, org: oracle.org, witnessed, restored, oracle };
}
