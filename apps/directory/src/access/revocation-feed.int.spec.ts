import { describe, expect, test } from '@jest/globals';
import { accessChanges, disableApp, revocationFeedSubject } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { eventually, moreJobRuns } from '@holdfast/testing';
import { buses, database, newApp, opsPort, request, withDirectory } from '../directory.fixture.js';
import { recordAccessChanges } from './access-change.js';

withDirectory();

describe('the revocation feed', () => {
  test('seq follows the order of commits: a reader that follows seq sees every change', async () => {
    const apps = await Promise.all(Array.from({ length: 8 }, () => newApp('web')));
    let since = (await request(accessChanges, { since: 0 }, 'gateway')).seq;
    const found = new Map<string, number>();
    let changing = true;
    const reader = (async () => {
      while (changing) {
        const { seq, entries } = await request(accessChanges, { since }, 'gateway');
        for (const entry of entries) found.set(entry.id, entry.minVersion);
        since = seq;
      }
    })();
    const disable = async ({ app }: (typeof apps)[number]) => {
      for (let i = 0; i < 10; i += 1) await request(disableApp, { clientId: app.clientId, disabled: true });
    };
    await Promise.all(apps.map(disable));
    changing = false;
    await reader;
    const { entries } = await request(accessChanges, { since }, 'gateway');
    for (const entry of entries) found.set(entry.id, entry.minVersion);
    expect(apps.map(({ app }) => found.get(app.clientId))).toEqual(Array(8).fill(11));
  });

  test('a change waits for an earlier one that is not committed yet', async () => {
    const db = await Database.connect({ url: database.url(), pool: 2, applicationName: 'test' });
    const order: string[] = [];
    const recorded = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const first = db.transaction(async (sql) => {
      await recordAccessChanges(sql, [{ kind: 'organization', id: 'acme' }]);
      recorded.resolve();
      await mayCommit.promise;
      order.push('first');
    });
    await recorded.promise;
    const second = db
      .transaction((sql) => recordAccessChanges(sql, [{ kind: 'organization', id: 'acme' }]))
      .then(() => order.push('second'));
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await eventually(async () => (await database.query(waiting)).length === 1);
    mayCommit.resolve();
    await Promise.all([first, second]);
    await db.close();
    expect(order).toEqual(['first', 'second']);
  });

  test('a heartbeat is sent four times a second and right after a change', async () => {
    const seqs: number[] = [];
    const gateway = buses.get('gateway')!.connection;
    const subscription = gateway.subscribe(revocationFeedSubject, {
      callback: (_, message) => void seqs.push(message.json<{ seq: number }>().seq),
    });
    await eventually(() => seqs.length >= 4);
    const before = seqs.at(-1)!;
    await newApp('web');
    await eventually(() => seqs.at(-1)! > before);
    subscription.unsubscribe();
  });

  test('no heartbeat is sent and each run fails while the database is unavailable, and heartbeats resume', async () => {
    let heartbeats = 0;
    const gateway = buses.get('gateway')!.connection;
    const subscription = gateway.subscribe(revocationFeedSubject, { callback: () => void (heartbeats += 1) });
    await database.refuseConnections(true);
    // The first run may have read the database before, and the round trip delivers what it has sent.
    await moreJobRuns(opsPort(), 'access_heartbeat', 1, 'failed');
    await gateway.flush();
    heartbeats = 0;
    await moreJobRuns(opsPort(), 'access_heartbeat', 3, 'failed');
    await gateway.flush();
    expect(heartbeats).toBe(0);
    await expect(request(accessChanges, { since: 0 }, 'gateway')).rejects.toMatchObject({ code: 'unavailable' });
    await database.refuseConnections(false);
    await eventually(() => heartbeats > 0);
    subscription.unsubscribe();
  });
});
