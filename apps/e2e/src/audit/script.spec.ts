// 500 calls of four callers, good and bad, in an order that a seed repeats: the log has exactly those.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '@holdfast/contracts';
import { Client } from '../client.ts';
import { chaosSeed } from '../config.ts';
import { eventually, times } from '../parallel.ts';
import { closeConnections } from '../http.ts';
import { randomSequence } from '../random.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { customerScopes, stack } from '../under-test.ts';
import { automationSteps } from './automation-script.fixture.ts';
import { AuditRecorder, keyOf, recordOf } from './recorder.fixture.ts';
import { shopSteps, type Step } from './shop-script.fixture.ts';

const seed = chaosSeed();
const callsPerRecorder = 125;
const readingLogs = ['audit:read', 'audit:export', 'webhooks:manage'];

interface Organization {
  shortId: string;
  recorders: AuditRecorder[];
  auditor: Client;
  log: AuditEvent[];
}

/** Every step once, in some order, then any, until there are enough calls. */
async function play(recorder: AuditRecorder, steps: Step[], random: (below: number) => number): Promise<void> {
  const left = [...steps];
  while (left.length > 0) await left.splice(random(left.length), 1)[0]!(recorder);
  while (recorder.calls < callsPerRecorder) await steps[random(steps.length)]!(recorder);
}

async function newOrganization(): Promise<Organization & { party: RelyingParty }> {
  const shortId = await stack.newOrganization();
  const party = await RelyingParty.make(shortId, 'shop', { grants: customerScopes });
  const automation = await stack.newApp(shortId, 'automation', readingLogs, 'service');
  const auditor = new Client(stack, await stack.newApp(shortId, 'auditor', ['audit:read'], 'service'));
  return {
    shortId,
    party,
    auditor,
    log: [],
    recorders: [
      new AuditRecorder(new Client(stack, party.app, customerScopes)),
      new AuditRecorder(new Client(stack, automation, readingLogs)),
    ],
  };
}

/**
 * What the test itself did beside the script: making the organization, and reading its log; tokens that clients fetched
 * for themselves.
 */
function ofTheScript({ recorders, auditor }: Organization, { actor, action, request }: AuditEvent): boolean {
  const known = new Set(recorders.flatMap((s) => s.written.map((w) => w.id)));
  if (actor.type === 'operator' || actor.id === auditor.app.clientId) return false;
  return action !== 'token.issue' || known.has(request.id);
}

describe(`a script of 500 calls (HOLDFAST_CHAOS_SEED=${seed})`, () => {
  let organizations: Organization[];
  beforeAll(async () => {
    const [one, two] = await Promise.all([newOrganization(), newOrganization()]);
    organizations = [one, two];
    const pairs = [
      [one, two],
      [two, one],
    ] as const;
    await Promise.all(
      pairs.flatMap(([mine, other], i) => [
        play(mine.recorders[0]!, shopSteps(mine.party, other.shortId), randomSequence(seed + i)),
        play(mine.recorders[1]!, automationSteps(other.shortId), randomSequence(seed + 10 + i)),
      ]),
    );
    for (const organization of organizations) organization.log = await organization.auditor.wholeLog();
  }, 120_000);
  afterAll(closeConnections);

  it('is long enough, and of all kinds', () => {
    const recorders = organizations.flatMap((o) => o.recorders);
    expect(recorders.reduce((sum, s) => sum + s.calls, 0)).toBeGreaterThanOrEqual(4 * callsPerRecorder);
    expect(new Set(recorders.flatMap((s) => s.written.map((w) => w.action))).size).toBeGreaterThanOrEqual(21);
  });

  it('stands in the log, call by call, and nothing else does', () => {
    for (const organization of organizations) {
      const found = organization.log
        .filter((e) => e.outcome.count === undefined && ofTheScript(organization, e))
        .map(recordOf);
      const written = organization.recorders.flatMap((s) => s.written);
      // An erased customer is named by a pseudonym, so a customer's own acts are compared without the name.
      const line = (w: (typeof written)[0]) => `${w.id} ${keyOf(w)}`;
      expect(found.map(line).sort()).toEqual(written.map(line).sort());
    }
  });

  it("stands there in each caller's order", () => {
    for (const { log, recorders } of organizations) {
      for (const { written } of recorders) {
        const seqs = written
          .map((w) => log.filter((e) => e.request.id === w.id).map((e) => e.seq))
          .map((found) => found.sort((a, b) => a - b));
        const first = seqs.map((found) => found[0]!);
        expect(first).toEqual([...first].sort((a, b) => a - b));
      }
    }
  });

  it('has places without a gap', () => {
    for (const { log } of organizations)
      expect(log.map((e) => e.seq)).toEqual(times(log.length).map((i) => log.length - i));
  });

  it('is counted where nobody knew who called, when the minute is over', async () => {
    for (const organization of organizations) {
      const { auditor, recorders } = organization;
      const expected = new Map<string, number>();
      for (const { counted } of recorders)
        for (const [key, count] of counted) expected.set(key, (expected.get(key) ?? 0) + count);
      await eventually(async () => {
        const events = (await auditor.wholeLog()).filter((e) => e.outcome.count !== undefined);
        const sums = new Map<string, number>();
        for (const event of events)
          sums.set(keyOf(recordOf(event)), (sums.get(keyOf(recordOf(event))) ?? 0) + event.outcome.count!);
        expect([...sums].sort()).toEqual([...expected].sort());
        // One record of each minute, whichever gateway was asked.
        expect(new Set(events.map((e) => `${keyOf(recordOf(e))} ${e.occurredAt.slice(0, 16)}`)).size).toBe(
          events.length,
        );
        return true;
      }, 90_000);
    }
  }, 120_000);

  it('left no secret there, and nothing of what was in a body, a query or a path', async () => {
    for (const { auditor, recorders } of organizations) {
      const log = JSON.stringify(await auditor.wholeLog());
      const found = recorders
        .flatMap((s) => [...s.secrets])
        .filter(([secret]) => log.includes(secret))
        .map(([, what]) => what);
      expect(found).toEqual([]);
      expect([log.includes('canary'), /eyJ[\w-]{10,}\./.test(log)]).toEqual([false, false]);
    }
  });
});
