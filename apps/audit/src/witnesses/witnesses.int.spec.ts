import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendRecords, auditCheckpoint, auditVerifierKeys } from '@holdfast/contracts';
import type { Clock } from '@holdfast/platform';
import type { RunningService } from '@holdfast/service';
import { eventually, testContext, type TestDatabase } from '@holdfast/testing';
import { formatVerifierKey, openCheckpoint, openCosignatures, parseVerifierKey } from '@holdfast/tlog';
import { auditDatabase, auditKeys, recordOf, startAudit, startAuditBus } from '../audit.fixture.js';
import { TestWitness } from './test-witness.fixture.js';
import { witnessesFromEnv } from './witness.js';

let environment: Awaited<ReturnType<typeof startAuditBus>>;
let tables: TestDatabase;
let services: RunningService[];
let witnesses: [TestWitness, TestWitness];
let keys: ReturnType<typeof auditKeys>;
let passedMs = 0;
const clock: Clock = { now: () => new Date(Date.now() + passedMs), trust: () => 'agreed' };

const request = (input = {}, org = 'acme') => environment.bus.request(auditCheckpoint, input, testContext({ org }));
const append = (count = 3, org = 'acme') =>
  environment.bus.request(
    appendRecords,
    { records: Array.from({ length: count }, () => ({ org, record: recordOf() })) },
    testContext({ org }),
  );
const logKeys = async (org = 'acme') =>
  (await environment.bus.request(auditVerifierKeys, {}, testContext({ org }))).keys.map(parseVerifierKey);

async function start(): Promise<void> {
  const AUDIT_WITNESSES = witnesses.map(({ key, origin }) => ({ key, url: origin }));
  const settings = { ...keys, AUDIT_WITNESSES, OUTBOUND_ALLOW: witnesses.map(({ origin }) => origin) };
  services.push(await startAudit(environment.nats, tables, settings, clock));
}
/** As if a minute had passed since the last attempt. */
const letAttempt = () => (passedMs += 60_000);

/** The names of those that have cosigned the checkpoint, and its size. */
async function cosigned(org = 'acme'): Promise<{ size: number; by: string[] }> {
  const { checkpoint: note } = await request({ cosigned: true }, org);
  const by = openCosignatures(
    note,
    witnesses.map(({ key }) => key),
  ).map(({ witness }) => witness.name);
  return { size: openCheckpoint(note, await logKeys(org)).size, by };
}
const both = ['one.example', 'two.example'];

beforeEach(async () => {
  environment = await startAuditBus();
  tables = await auditDatabase();
  services = [];
  // Checkpoints of another test would show that this log was truncated.
  keys = auditKeys();
  witnesses = [new TestWitness('one.example'), new TestWitness('two.example')];
  for (const witness of witnesses) await witness.listen();
  await start();
  for (const witness of witnesses) witness.known = [...(await logKeys()), ...(await logKeys('other'))];
});
afterEach(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await Promise.all(witnesses.map((witness) => witness.close().catch(() => undefined)));
  await environment.stop();
});

describe('checkpoints with witnesses', () => {
  it('are cosigned by each of them, again when the log has grown, and continue what they have seen', async () => {
    await expect(request({ cosigned: true })).rejects.toMatchObject({ code: 'unknown_checkpoint' });
    await append();
    await append(2, 'other');
    await eventually(async () => expect(await cosigned()).toEqual({ size: 3, by: both }));
    await eventually(async () => expect(await cosigned('other')).toEqual({ size: 2, by: both }));

    await append(300);
    await eventually(async () => {
      letAttempt();
      expect(await cosigned()).toEqual({ size: 303, by: both });
    });
    // The other one has not grown.
    expect(await cosigned('other')).toEqual({ size: 2, by: both });
    const { checkpoint: plain } = await request();
    expect(openCosignatures(plain, [witnesses[0].key])).toEqual([]);
  });

  it('are cosigned by the others while one does not answer, and by that one later', async () => {
    witnesses[0].respond = (response) => void response.destroy();
    await append();
    await eventually(async () => expect(await cosigned()).toEqual({ size: 3, by: ['two.example'] }));
    delete witnesses[0].respond;
    await Promise.all(services.splice(0).map((service) => service.stop()));
    await start();
    letAttempt();
    await eventually(async () => expect(await cosigned()).toEqual({ size: 3, by: both }));
  });

  it('are cosigned after a witness said that it has seen another size', async () => {
    await append();
    await eventually(async () => expect(await cosigned()).toEqual({ size: 3, by: both }));
    // As after a restore: the witnesses know more of the log than the database does.
    await tables.query('UPDATE audit.cosignature SET seen_size = 1, size = 0, note = NULL, line = NULL');
    await append();
    await eventually(async () => {
      letAttempt();
      expect(await cosigned()).toEqual({ size: 6, by: both });
    });
  });

  it.each([
    ['a status', (witness: TestWitness) => (witness.respond = (response) => void response.writeHead(500).end())],
    ['no cosignature', (witness: TestWitness) => (witness.respond = (response) => void response.end('\n'))],
    ['garbage', (witness: TestWitness) => (witness.respond = (response) => void response.end('— x y\n\u0000'))],
    [
      'a size of its own choice',
      (witness: TestWitness) => (witness.respond = (response) => void response.writeHead(409).end('999')),
    ],
    ['the line of another witness', (witness: TestWitness) => Object.assign(witness, { key: witnesses[1].key })],
  ])('stay without the cosignature of a witness that answers with %s', async (_, spoil) => {
    spoil(witnesses[0]);
    await append();
    await eventually(() => expect(witnesses[0].requests).toBeGreaterThan(0));
    await eventually(async () => expect((await cosigned()).size).toBe(3));
    const [stored] = await tables.query<{ line: string | null; size: number }>(
      `SELECT line, size FROM audit.cosignature WHERE witness = 'one.example'`,
    );
    expect(stored).toEqual({ line: null, size: 0 });
  });

  it('are submitted by one of two replicas at a time', async () => {
    await start();
    await append();
    await eventually(async () => expect(await cosigned()).toEqual({ size: 3, by: both }));
    expect(witnesses.map(({ requests }) => requests)).toEqual([1, 1]);
  });
});

describe('AUDIT_WITNESSES', () => {
  it('has verifier keys with addresses', () => {
    const [one, two] = witnesses.map(({ key }) => formatVerifierKey(key)) as [string, string];
    expect(witnessesFromEnv.parse(`${one} https://one.example/ , ${two} https://two.example/w`)).toMatchObject([
      { key: { name: 'one.example' }, url: 'https://one.example' },
      { key: { name: 'two.example' }, url: 'https://two.example/w' },
    ]);
    expect(witnessesFromEnv.parse('')).toEqual([]);
    for (const wrong of ['x', one, `${one} x`, `${one} https://a.example, ${one} https://b.example`])
      expect(witnessesFromEnv.safeParse(wrong).success).toBe(false);
  });
});
