// 500 requests of four callers, good and bad, in an order that a seed repeats: the log has exactly these.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '@holdfast/contracts';
import { eventually, randomSequence } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { chaosSeed } from '../stack/config.ts';
import { times } from '../stack/parallel.ts';
import { automationSteps } from './automation-script.fixture.ts';
import { AuditRecorder, keyOf, recordOf } from './recorder.fixture.ts';
import { shopSteps, type Step } from './shop-script.fixture.ts';

const seed = chaosSeed();
const callsPerRecorder = 125;
const automationScopes = ['audit:read', 'audit:export', 'webhooks:manage'];

interface Organization {
  shortId: string;
  recorders: AuditRecorder[];
  auditor: Client;
  log: AuditEvent[];
}

/** Runs every step once, in random order, then random steps until there are enough requests. */
async function play(recorder: AuditRecorder, steps: Step[], random: (below: number) => number): Promise<void> {
  const left = [...steps];
  while (left.length > 0) await left.splice(random(left.length), 1)[0]!(recorder);
  while (recorder.calls < callsPerRecorder) await steps[random(steps.length)]!(recorder);
}

async function newOrganization(): Promise<Organization & { party: RelyingParty }> {
  const shortId = await stack.newOrganization();
  const party = await RelyingParty.make(shortId, 'shop', { grants: customerScopes });
  const automation = await stack.newApp(shortId, 'automation', automationScopes, 'service');
  const auditor = new Client(stack, await stack.newApp(shortId, 'auditor', ['audit:read'], 'service'));
  return {
    shortId,
    party,
    auditor,
    log: [],
    recorders: [
      new AuditRecorder(new Client(stack, party.app, customerScopes)),
      new AuditRecorder(new Client(stack, automation, automationScopes)),
    ],
  };
}

/**
 * Whether an entry is of the script. The test itself has created the organization and read the log, and clients have
 * requested tokens.
 */
function isOfScript({ recorders, auditor }: Organization, { actor, action, request }: AuditEvent): boolean {
  const ids = new Set(recorders.flatMap((r) => r.expected.map(({ id }) => id)));
  if (actor.type === 'operator' || actor.id === auditor.app.clientId) return false;
  return action !== 'token.issue' || ids.has(request.id);
}

describe(`a script of 500 requests (HOLDFAST_CHAOS_SEED=${seed})`, () => {
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
    for (const organization of organizations) {
      organization.log = await organization.auditor.wholeLog();
      const recorded = new Set(organization.log.map(({ request }) => request.id));
      // On a machine that stands still audit may append neither the read nor its failure in time. The response is 503.
      for (const { expected } of organization.recorders)
        for (const { id } of expected.filter(({ status, code }) => status === 503 && code === 'unavailable'))
          if (!recorded.has(id))
            expected.splice(
              expected.findIndex((e) => e.id === id),
              1,
            );
    }
  });
  afterAll(closeConnections);

  it('has at least 500 requests and 21 actions', () => {
    const recorders = organizations.flatMap((o) => o.recorders);
    expect(recorders.reduce((sum, r) => sum + r.calls, 0)).toBeGreaterThanOrEqual(4 * callsPerRecorder);
    expect(new Set(recorders.flatMap((r) => r.expected.map((e) => e.action))).size).toBeGreaterThanOrEqual(21);
  });

  it('is in the log, request by request, and nothing else is', () => {
    for (const organization of organizations) {
      const found = organization.log
        .filter((e) => e.outcome.count === undefined && isOfScript(organization, e))
        .map(recordOf);
      const expected = organization.recorders.flatMap((r) => r.expected);
      const line = (e: (typeof expected)[0]) => `${e.id} ${keyOf(e)}`;
      expect(found.map(line).sort()).toEqual(expected.map(line).sort());
    }
  });

  it("is in the log in the order of each caller's sequential requests", () => {
    for (const { log, recorders } of organizations) {
      for (const { expected } of recorders) {
        const first = expected.map(({ id }) => Math.min(...log.filter((e) => e.request.id === id).map((e) => e.seq)));
        expect(first).toEqual([...first].sort((a, b) => a - b));
      }
    }
  });

  it('leaves seq without a gap', () => {
    for (const { log } of organizations)
      expect(log.map((e) => e.seq)).toEqual(times(log.length).map((i) => log.length - i));
  });

  it('is counted after each minute where the caller is unknown', async () => {
    for (const organization of organizations) {
      const { auditor, recorders } = organization;
      const expected = new Map<string, number>();
      for (const { expectedCounts } of recorders)
        for (const [key, count] of expectedCounts) expected.set(key, (expected.get(key) ?? 0) + count);
      await eventually(async () => {
        const events = (await auditor.wholeLog()).filter((e) => e.outcome.count !== undefined);
        const sums = new Map<string, number>();
        for (const event of events)
          sums.set(keyOf(recordOf(event)), (sums.get(keyOf(recordOf(event))) ?? 0) + event.outcome.count!);
        expect([...sums].sort()).toEqual([...expected].sort());
        // One record of each minute, from whichever gateway.
        expect(new Set(events.map((e) => `${keyOf(recordOf(e))} ${e.occurredAt.slice(0, 16)}`)).size).toBe(
          events.length,
        );
      });
    }
  });

  it('leaves no secret in the log, and nothing of a body, a query or a path', async () => {
    for (const { auditor, recorders } of organizations) {
      const log = JSON.stringify(await auditor.wholeLog());
      const found = recorders
        .flatMap((r) => [...r.secrets])
        .filter(([secret]) => log.includes(secret))
        .map(([, what]) => what);
      expect(found).toEqual([]);
      expect([log.includes('canary'), /eyJ[\w-]{10,}\./.test(log)]).toEqual([false, false]);
    }
  });
});
