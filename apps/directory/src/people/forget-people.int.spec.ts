import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accessChanges, removePerson, setPersonActive } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { database, newPerson, request, withDirectory } from '../directory.fixture.js';
import { ForgetPeople } from './forget-people.js';

withDirectory();

const minutesMs = 60_000;
let db: Database;
beforeAll(async () => {
  db = await Database.connect({ url: database.url(), pool: 2, applicationName: 'test' });
});
afterAll(() => db.close());

const forget = () => new ForgetPeople(db).forget();
/** As if this time had passed since all changes. */
const age = (ms: number) =>
  database.query(`UPDATE directory.access_change SET at = at - $1 * interval '1 millisecond'`, [ms]);
const stored = () =>
  database.query<{ seq: number; kind: string; id: string }>(
    'SELECT seq::int AS seq, kind, id FROM directory.access_change ORDER BY seq',
  );
const ids = async () => (await stored()).map(({ id }) => id);
const feed = (since: number) => request(accessChanges, { since, people: true }, 'gateway');

describe('the ids of people in the revocation feed', () => {
  it('are there for twenty minutes and then gone; positions and entries of apps stay', async () => {
    const [removed, deactivated] = [await newPerson(), await newPerson()];
    await request(removePerson, { person: removed.id });
    await request(setPersonActive, { person: deactivated.id, active: false });
    await age(19.9 * minutesMs);
    await forget();
    expect(await ids()).toEqual(expect.arrayContaining([removed.id, deactivated.id]));
    const { entries } = await feed(0);
    expect(entries.find(({ id }) => id === removed.id)).toMatchObject({ kind: 'person', disabled: true });

    const recent = await newPerson();
    await request(setPersonActive, { person: recent.id, active: false });
    const before = await stored();
    await age(0.2 * minutesMs);
    await forget();
    const after = await stored();
    expect(after.map(({ seq }) => seq)).toEqual(before.map(({ seq }) => seq));
    expect(new Set(after.filter(({ kind }) => kind === 'person').map(({ id }) => id))).toEqual(new Set([recent.id]));
    expect(after.filter(({ kind, id }) => kind !== 'person' && id !== '')).toEqual(
      before.filter(({ kind }) => kind !== 'person'),
    );
    expect(JSON.stringify(after)).not.toMatch(new RegExp(`${removed.id}|${deactivated.id}`));
    // A reader at any position goes on, and the forgotten entries tell it nothing.
    expect(await feed(after.at(-1)!.seq)).toEqual({ seq: after.at(-1)!.seq, entries: [] });
    const all = await feed(1);
    expect(all.entries.filter(({ id }) => id === '' || id === removed.id)).toEqual([]);
    expect(all.entries.map(({ id }) => id)).toContain(recent.id);
  });

  it('are gone from more entries than one statement changes, by two replicas at once', async () => {
    const people: string[] = Array.from({ length: 2500 }, () => randomUUID());
    await database.query(
      `INSERT INTO directory.access_change (kind, id, at) SELECT 'person', id, now() FROM unnest($1::text[]) AS p (id)`,
      [people],
    );
    await age(20 * minutesMs + 1);
    await Promise.all([forget(), forget()]);
    await forget();
    expect((await ids()).filter((id) => people.includes(id))).toEqual([]);
  });
});
