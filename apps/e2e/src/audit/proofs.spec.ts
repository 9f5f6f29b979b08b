// What an organization can verify with the API, a pinned key and the checkpoints that it kept.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditProof } from '@holdfast/contracts';
import {
  leafHash,
  openCheckpoint,
  parseProofFile,
  parseVerifierKey,
  rootOf,
  tilePath,
  tilesOf,
  verifyConsistency,
  verifyInclusion,
  type Checkpoint,
  type VerifierKey,
} from '@holdfast/tlog';
import type { Client } from '../clients/client.ts';
import { closeConnections, type Problem, type Reply } from '../clients/http.ts';
import { customerScopes, newClients, stack } from '../clients/under-test.ts';
import { holdfast } from './command-line.fixture.ts';

let auditor: Client;
let stranger: Client;
let key: VerifierKey;
let folder: string;
const kept: { size: number; note: string; opened: Checkpoint }[] = [];

const admin = <Body = Problem>(path: string, client = auditor, accept?: string): Promise<Reply<Body>> =>
  client.call<Body>('GET', `${auditor.api}/admin/audit/${path}`, accept === undefined ? {} : { headers: { accept } });

const keep = async () => {
  const { text: note } = await admin('checkpoint');
  const opened = openCheckpoint(note, [key]);
  kept.push({ size: opened.size, note, opened });
};

const bytesOf = async (path: string): Promise<{ bytes: Buffer; headers: Headers }> => {
  const response = await fetch(`${stack.gateways[0]}${auditor.api}/admin/audit/${path}`, {
    headers: { authorization: `Bearer ${await auditor.token()}` },
  });
  expect(response.status).toBe(200);
  return { bytes: Buffer.from(await response.arrayBuffer()), headers: response.headers };
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-proofs-'));
  const [here, there] = await Promise.all([
    newClients({ auditor: { kind: 'service', grants: ['audit:read', 'audit:export', ...customerScopes] } }),
    newClients({ stranger: { kind: 'service', grants: ['audit:read', 'audit:export'] } }),
  ]);
  [auditor, stranger] = [here.auditor, there.stranger];
  const { body } = await admin<{ keys: string[] }>('keys');
  key = parseVerifierKey(body.keys[0]!);
  for (let round = 0; round < 4; round++) {
    await keep();
    const { body: offer } = await auditor.offer();
    await auditor.get(offer.subject);
    await auditor.get(randomUUID());
    if (round === 2) await auditor.erase(offer.subject);
  }
  await keep();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  closeConnections();
});

describe('a checkpoint', () => {
  it('is signed for this organization by the pinned key, and covers every request before it', async () => {
    expect(key.name).toBe(`${new URL(stack.baseUrl).host}${auditor.api.replace(/\/api$/, '/audit')}`);
    expect(kept.map(({ opened }) => opened.origin)).toEqual(kept.map(() => key.name));
    const events = await auditor.wholeLog();
    expect(kept.at(-1)!.size).toBe(events.find((e) => e.action === 'audit.prove')!.seq - 1);
    expect(kept.map(({ size }) => size)).toEqual(kept.map(({ size }) => size).toSorted((a, b) => a - b));
  });

  it('of another organization has another origin and another key', async () => {
    const { body } = await stranger.call<{ keys: string[] }>('GET', `${stranger.api}/admin/audit/keys`);
    const { text } = await stranger.call('GET', `${stranger.api}/admin/audit/checkpoint`);
    expect(body.keys).not.toContain(key.keyId);
    expect(() => openCheckpoint(text, [key])).toThrow('No key that is trusted has signed it');
    expect(openCheckpoint(text, body.keys.map(parseVerifierKey)).origin).toBe(body.keys[0]!.split('+')[0]);
  });
});

describe('a proof', () => {
  it('verifies from the bytes of an event to a checkpoint, also when its customer was erased', async () => {
    const events = (await auditor.wholeLog()).filter((_, i) => i % 4 === 0);
    expect(events.length).toBeGreaterThan(4);
    for (const event of events) {
      const { body: proof } = await admin<AuditProof>(`events/${event.id}/proof`);
      const { size, root } = openCheckpoint(proof.checkpoint, [key]);
      const leaf = Buffer.from(proof.leaf, 'base64');
      const inclusion = {
        index: event.seq - 1,
        size,
        leafHash: leafHash(leaf),
        proof: proof.hashes.map((hash) => Buffer.from(hash, 'base64')),
        root,
      };
      expect([event.seq, verifyInclusion(inclusion)]).toEqual([event.seq, true]);
      expect(JSON.parse(leaf.toString())).toMatchObject({ id: event.id, action: event.action, outcome: event.outcome });
      expect(verifyInclusion({ ...inclusion, index: event.seq })).toBe(false);
    }
  });

  it('can be downloaded as a file', async () => {
    const [event] = await auditor.wholeLog({ action: 'subject.erase' });
    const { text, headers } = await admin(`events/${event!.id}/proof`, auditor, 'text/plain');
    expect(headers.vary).toContain('Accept');
    const { index, hashes, checkpoint, extra } = parseProofFile(text);
    const { size, root } = openCheckpoint(checkpoint, [key]);
    expect(index).toBe(event!.seq - 1);
    expect(verifyInclusion({ index, size, leafHash: leafHash(extra!), proof: hashes, root })).toBe(true);
  });

  it('names no customer', async () => {
    const [event] = await auditor.wholeLog({ action: 'subject.read', outcome: 'success' });
    const { body } = await admin<AuditProof>(`events/${event!.id}/proof`);
    const target = event!.targets.find(({ type }) => type === 'customer')!.id;
    expect(target).toMatch(/^[0-9a-f-]{36}$/);
    expect(Buffer.from(body.leaf, 'base64').toString()).not.toContain(target);
  });
});

describe('the log', () => {
  it('is consistent between every kept checkpoint and every later one', async () => {
    for (const [i, from] of kept.entries()) {
      for (const to of kept.slice(i)) {
        const { body } = await admin<{ hashes: string[] }>(`consistency?from=${from.size}&to=${to.size}`);
        const proof = body.hashes.map((hash) => Buffer.from(hash, 'base64'));
        const pair = { from: from.size, to: to.size, fromRoot: from.opened.root, toRoot: to.opened.root, proof };
        expect([from.size, to.size, verifyConsistency(pair)]).toEqual([from.size, to.size, true]);
        const forged = { ...pair, fromRoot: leafHash(from.opened.root) };
        expect([from.size, to.size, verifyConsistency(forged)]).toEqual([from.size, to.size, false]);
      }
    }
  });

  it('has the same root as its tiles, which are immutable', async () => {
    const { size, opened } = kept.at(-1)!;
    const tiles = [...tilesOf(size)].filter(({ level }) => level === 0);
    const read = await Promise.all(tiles.map((tile) => bytesOf(tilePath(tile))));
    const hashes = read.flatMap(({ bytes }) =>
      Array.from({ length: bytes.length / 32 }, (_, i) => bytes.subarray(32 * i, 32 * i + 32)),
    );
    expect(rootOf(hashes)).toEqual(opened.root);
    expect(read.map(({ headers }) => headers.get('content-type'))).toEqual(tiles.map(() => 'application/octet-stream'));
    expect(read[0]!.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    // A narrower tile is the beginning of a wider one.
    expect((await bytesOf('tile/0/000.p/3')).bytes).toEqual(Buffer.concat(hashes.slice(0, 3)));
  });

  it('records each of these reads', async () => {
    const id = `proof-${randomUUID().slice(0, 8)}`;
    for (const path of ['checkpoint', 'keys', 'consistency?from=1&to=2', 'tile/0/000.p/1', 'entries?limit=1']) {
      await auditor.call('GET', `${auditor.api}/admin/audit/${path}`, { headers: { 'x-request-id': id } });
    }
    const recorded = (await auditor.wholeLog())
      .filter((e) => e.request.id === id)
      .map((e) => [e.action, e.outcome.result]);
    expect(recorded).toEqual([
      ['audit.export', 'success'],
      ...Array.from({ length: 4 }, () => ['audit.prove', 'success']),
    ]);
  });
});

describe('a request for a proof is rejected', () => {
  it.each([
    ['consistency', 400, 'invalid_request'],
    ['consistency?from=0&to=1', 400, 'invalid_request'],
    ['consistency?from=2&to=1', 400, 'invalid_request'],
    ['consistency?from=1&to=99999999', 400, 'invalid_request'],
    ['consistency?from=1&to=1e3', 400, 'invalid_request'],
    ['consistency?from=1&to=2&to=3', 400, 'invalid_request'],
    ['entries?limit=0', 400, 'invalid_request'],
    ['entries?limit=501', 400, 'invalid_request'],
    ['entries?after=-1', 400, 'invalid_request'],
    ['entries?before=7', 400, 'invalid_request'],
    ['tile/0/1', 400, 'invalid_request'],
    ['tile/6/000', 400, 'invalid_request'],
    ['tile/0/000.p/256', 400, 'invalid_request'],
    ['tile/0/x000/001', 400, 'invalid_request'],
    ['tile/0/000', 404, 'unknown_tile'],
    ['tile/5/x001/234.p/17', 404, 'unknown_tile'],
    ['tile/1/000.p/1', 404, 'unknown_tile'],
    [`events/${randomUUID()}/proof`, 404, 'unknown_event'],
    ['events/x/proof', 400, 'invalid_request'],
    ['checkpoint?size=1', 400, 'invalid_request'],
  ])('%s with %d %s', async (path, status, code) => {
    const { status: returned, body } = await admin(path);
    expect([returned, body.code]).toEqual([status, code]);
    // Only a bad parameter has details of its own.
    expect(/\w/.test(body.errors?.[0]?.detail ?? '')).toBe(code === 'invalid_request');
  });

  it('of another organization, or without the operation', async () => {
    const [event] = await auditor.wholeLog();
    for (const path of [
      'checkpoint',
      'keys',
      `events/${event!.id}/proof`,
      'consistency?from=1&to=2',
      'tile/0/000.p/1',
      'entries',
    ]) {
      expect((await admin(path, stranger)).body.code).toBe('wrong_organization');
      const other = auditor.with(path === 'entries' ? 'audit:read' : 'audit:export');
      expect((await admin(path, other)).body.code).toBe('insufficient_scope');
    }
    expect((await stranger.call('GET', `${stranger.api}/admin/audit/events/${event!.id}/proof`)).body.code).toBe(
      'unknown_event',
    );
  });
});

describe('the command line of an auditor over HTTP', () => {
  const remote = () => ['--url', `${stack.baseUrl}/o/${auditor.app.org}`, '--client-id', auditor.app.clientId];
  const secret = () => ({ HOLDFAST_CLIENT_SECRET: auditor.app.clientSecret });
  const pinned = async () => (await admin<{ keys: string[] }>('keys')).body.keys.flatMap((vkey) => ['--key', vkey]);

  it('verifies the running log and an exported one against kept checkpoints', async () => {
    const files = kept.map(({ note, size }) => {
      const file = join(folder, `${size}.checkpoint`);
      writeFileSync(file, note);
      return file;
    });
    const checkpoints = files.flatMap((file) => ['--checkpoint', file]);
    const live = await holdfast(
      ['audit', 'verify', ...remote(), ...(await pinned()), ...checkpoints, '--json'],
      secret(),
    );
    expect([live.code, live.errors]).toEqual([0, '']);
    expect(JSON.parse(live.output)).toMatchObject({
      verified: true,
      findings: [],
      origin: key.name,
      unprovable: 0,
      continues: files,
    });

    const file = join(folder, 'log.ndjson');
    expect((await holdfast(['audit', 'export', ...remote(), '--out', file], secret())).code).toBe(0);
    const offline = await holdfast(['audit', 'verify', file, ...(await pinned()), ...checkpoints]);
    expect([offline.code, offline.output]).toEqual([
      0,
      expect.stringMatching(/^Verified: \d+ entries of .*\/audit, up to the newest checkpoint\./),
    ]);
  });

  it('exits with 2 and explains when it cannot verify', async () => {
    const cases: [string[], Record<string, string>, string][] = [
      [['audit', 'verify', ...remote()], secret(), 'there is no pinned key'],
      [['audit', 'verify', ...remote(), '--key', 'x'], secret(), 'It is not a verifier key'],
      [
        ['audit', 'verify', ...remote(), ...(await pinned())],
        { HOLDFAST_CLIENT_SECRET: 'wrong' },
        'returned status 401',
      ],
      [['audit', 'verify', join(folder, 'none.ndjson'), ...(await pinned())], {}, 'there is no file'],
    ];
    for (const [args, env, sentence] of cases) {
      const { code, errors } = await holdfast(args, env);
      expect([code, errors]).toEqual([2, expect.stringContaining(sentence)]);
    }
  });
});
