import { describe, expect, test } from '@jest/globals';
import { register } from 'prom-client';
import { createOrganization, deleteOrganization, moveOrganization, suspendOrganization } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { systemClock } from '@holdfast/platform';
import { testContext } from '@holdfast/testing';
import { database, eventOf, newName, operator, request, withDirectory } from '../directory.fixture.js';
import { OverdueDeletions } from './overdue-deletions.js';

withDirectory();

const contextOf = (org: string) => testContext({ org, actor: operator });
async function newOrganization(): Promise<string> {
  const shortId = newName('gone')
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, '-');
  await request(createOrganization, { shortId, name: shortId });
  return shortId;
}
const schedule = (shortId: string, graceSeconds: number, context = contextOf(shortId)) =>
  request(deleteOrganization, { step: 'schedule', shortId, graceSeconds }, 'operator', context);
const begin = (shortId: string, context = contextOf(shortId)) =>
  request(deleteOrganization, { step: 'begin', shortId }, 'operator', context);
const resume = (shortId: string) => request(suspendOrganization, { shortId, suspended: false });

describe('the deletion of an organization', () => {
  test('suspends it at once, and records until when it may be cancelled', async () => {
    const shortId = await newOrganization();
    const context = contextOf(shortId);
    const { deletesAt, ...organization } = await schedule(shortId, 3600, context);
    expect(organization).toMatchObject({ suspended: true, deleting: false });
    expect(Math.abs(Date.parse(deletesAt!) - Date.now() - 3_600_000)).toBeLessThan(60_000);
    expect((await eventOf(context.auditId)).audit).toMatchObject({
      action: 'organization.delete',
      changes: { suspended: { from: false, to: true }, deletesAt: { to: deletesAt } },
    });
  });

  test('cannot begin before somebody has decided it, nor before its time', async () => {
    const shortId = await newOrganization();
    await expect(begin(shortId)).rejects.toMatchObject({ code: 'conflict' });
    await schedule(shortId, 3600);
    await expect(begin(shortId)).rejects.toMatchObject({ code: 'conflict' });
    expect(await resume(shortId)).not.toHaveProperty('deletesAt');
    await expect(begin(shortId)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('cannot be cancelled, repeated or moved once it has begun', async () => {
    const shortId = await newOrganization();
    const context = contextOf(shortId);
    await schedule(shortId, 0);
    expect(await begin(shortId, context)).toMatchObject({ suspended: true, deleting: true });
    expect((await eventOf(context.auditId)).audit).toMatchObject({ action: 'organization.delete_begin' });
    const move = () => request(moveOrganization, { step: 'begin', to: 'main' }, 'operator', contextOf(shortId));
    for (const change of [() => resume(shortId), () => schedule(shortId, 0), () => begin(shortId), move])
      await expect(change()).rejects.toMatchObject({ code: 'conflict' });
  });

  test('is counted as overdue from the end of its grace period until it is cancelled', async () => {
    const shortId = await newOrganization();
    const db = await Database.connect({ url: database.url(), pool: 1, applicationName: 'test' });
    const overdueSeconds = async (): Promise<number> => {
      await new OverdueDeletions(db, systemClock).look();
      const metric = register.getSingleMetric('holdfast_organization_deletion_overdue_seconds')!;
      return (await metric.get()).values[0]!.value;
    };
    await database.query(
      "UPDATE directory.organization SET deletes_at = now() + interval '1 day' WHERE deletes_at < now()",
    );
    await schedule(shortId, 3600);
    expect(await overdueSeconds()).toBe(0);
    const earlier =
      "UPDATE directory.organization SET deletes_at = deletes_at - interval '2 hours' WHERE short_id = $1";
    await database.query(earlier, [shortId]);
    expect(Math.abs((await overdueSeconds()) - 3600)).toBeLessThan(300);
    await resume(shortId);
    expect(await overdueSeconds()).toBe(0);
    await db.close();
  });

  test('leaves a hash by which its short ID is refused for ever', async () => {
    const shortId = await newOrganization();
    await database.query('DELETE FROM directory.app WHERE org = $1', [shortId]);
    await database.query('DELETE FROM directory.organization WHERE short_id = $1', [shortId]);
    await database.query("INSERT INTO directory.erased (hash) VALUES (sha256(convert_to($1 || '/', 'UTF8')))", [
      shortId,
    ]);
    await expect(request(createOrganization, { shortId, name: 'Again' })).rejects.toMatchObject({ code: 'conflict' });
  });
});
