// Each alert of the chart fires when something real goes wrong in a running stack, and no other one does. Every service
// is scraped all the time, and promtool evaluates the real rules over what they exposed (docs/observability.md).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { PrivateStack } from '../chaos/private-stack.ts';
import { closeConnections } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import {
  closedEntryStream,
  damagedLog,
  failingReceiver,
  forbiddenJob,
  forgottenDeletion,
  stoppedAudit,
  uncountedLog,
  undecryptableRows,
} from './audit-incidents.ts';
import {
  closedStream,
  fullFeed,
  givenUpLogout,
  poisonedEvent,
  smallStream,
  strangeMessage,
  unclaimedMessages,
  unclaimedTokens,
} from './delivery-incidents.ts';
import { isOf, World, type Incident } from './incident.ts';
import { blockedEventLoop, testClock, wrongClock } from './process-incidents.ts';
import { promtool, type Alert } from './promtool.ts';
import { Recorder, scrapePauseMs } from './recorder.ts';
import { hangingSignals, lockedReadModel } from './request-incidents.ts';
import { labelsInAnnotations } from './rules.ts';

/** These begin first, and their alerts are awaited last: some need an hour of the recording, or a minute. */
const lastingOfAll: Incident[] = [
  damagedLog,
  undecryptableRows,
  forbiddenJob,
  uncountedLog,
  failingReceiver,
  closedEntryStream,
  forgottenDeletion,
];
/** The incidents of a phase happen together. The first phase is the short form. */
const allPhases: Incident[][] = [
  [lockedReadModel, fullFeed, smallStream],
  [hangingSignals, poisonedEvent, givenUpLogout],
  // Early: audit counts the five minutes of its analytics from its start.
  [stoppedAudit],
  [wrongClock, closedStream, strangeMessage, unclaimedMessages, unclaimedTokens],
  [blockedEventLoop, testClock],
];
/** promtool evaluates the whole recording each time, so all alerts take ten minutes: `npm run alerts`. */
const isLongForm = process.env.HOLDFAST_ALERTS === 'all';
const phases = isLongForm ? allPhases : allPhases.slice(0, 1);
const lasting = isLongForm ? lastingOfAll : [];
/** The windows of these alerts are six hours long; quarantined records are tried again after minutes. */
const endLater = ['AvailabilityBurnsSlow', 'LatencyBurnsSlow', 'AuditRecordsQuarantined'].map(
  (name) => `Holdfast${name}`,
);
const all = [...lastingOfAll, ...allPhases.flat()];
/** A machine that is busy with other tests may cause them by itself, so only the long form counts them. */
const causedBySlowness = [
  ...['EventLoopLate', 'EventLoopBusy', 'LatencyBurnsFast', 'LatencyBurnsSlow', 'ReadModelLate', 'ConsumerLags'],
  ...['FeedLag', 'FeedEventsWait', 'OutboxNotConfirmed', 'ServiceDown', 'PodNotReady', 'AuthReplicaDown'],
].map((name) => `Holdfast${name}`);

/**
 * They compare a time with that of Prometheus, which begins at 0 in a recording, or need CronJobs of a cluster. Each
 * has a scenario (tools/observability/alert-scenarios.ts).
 */
const withoutIncident = ['CertificateEnds', 'BackupOld', 'ErasureLedgerOld'].map((name) => `Holdfast${name}`);

it('each alert has an incident that causes it', () => {
  const caused = new Set(all.flatMap(({ alerts }) => alerts.map(({ alertname }) => alertname)));
  expect([...caused, ...withoutIncident].sort()).toEqual([...labelsInAnnotations.keys()].sort());
});

const itInLongForm = isLongForm ? it : it.skip;
const describeWithPromtool = promtool ? describe : describe.skip;

describeWithPromtool('a stack whose metrics are recorded', () => {
  const ownStack = new PrivateStack(join(stack.home, 'alerts'), 'auth=2');
  const app = createServer((_, response) => response.writeHead(500).end());
  let world: World;
  let recorder: Recorder;
  let customer: string;
  const begun: Incident[] = [];

  /** Alerts that must have fired since then, and have not. */
  async function notFired(incidents: Incident[], since: number): Promise<string[]> {
    const fired = await recorder.firedSince(since);
    return incidents.flatMap(({ name, alerts }) =>
      alerts
        .filter((expected) => !fired.some((one) => isOf(one, expected)))
        .map((expected) => `${JSON.stringify(expected)}, although ${name}`),
    );
  }

  /** Alerts that have fired without any cause. */
  async function unexpected(): Promise<Alert[]> {
    const caused = begun.flatMap(({ alerts, mayFollow = [] }) => [...alerts, ...mayFollow]);
    return (await recorder.firedSince(0)).filter(
      (one) =>
        !caused.some((expected) => isOf(one, expected)) && (isLongForm || !causedBySlowness.includes(one.alertname)),
    );
  }

  /** Checks again after some more scrapes, because each evaluation needs a moment of the CPU. */
  async function untilNone<T>(check: () => Promise<T[]>, timeoutMs = 180_000): Promise<void> {
    await eventually(
      async () => {
        await recorder.pass(8);
        expect(await check()).toEqual([]);
      },
      'alerts',
      timeoutMs,
    );
  }

  /** `holdfast doctor` exits with 1 and names each cause. */
  async function untilDoctorFinds(incidents: Incident[]): Promise<void> {
    const expected = incidents.flatMap(({ doctor }) => doctor);
    if (expected.length === 0) return;
    await eventually(
      async () => {
        const { findings } = await ownStack
          .operator<{ findings: never[] }>('doctor')
          .catch(({ stdout, code }: { stdout: string; code: number }) => {
            expect(code).toBe(1);
            return JSON.parse(stdout) as { findings: { check: string; result: string; detail: string }[] };
          });
        const named = findings.flatMap(({ check, result, detail }) => (result === 'ok' ? [] : [`${check}: ${detail}`]));
        expect({ missing: expected.filter((cause) => !named.some((text) => cause.test(text))), named }).toEqual({
          missing: [],
          named: expect.anything(),
        });
      },
      'findings of doctor',
      60_000,
    );
  }

  /** `holdfast explain` says that a customer can sign in, or what keeps it from saying so. */
  async function untilExplained(incidents: Incident[]): Promise<void> {
    const { explain = /The customer can sign in, and the last attempt succeeded/ } =
      incidents.find((one) => one.explain) ?? {};
    await eventually(
      async () => {
        const { stdout, stderr } = await ownStack.printed('explain', world.shop.app.org, customer);
        expect(stdout + stderr).toMatch(explain);
      },
      'explanation',
      60_000,
    );
  }

  beforeAll(async () => {
    await new Promise<void>((resolve) => app.listen(0, 'localhost', resolve));
    const origin = `http://localhost:${(app.address() as AddressInfo).port}`;
    ownStack.settings = {
      OUTBOUND_ALLOW: origin,
      BACKCHANNEL_LOGOUT_SECONDS: '1',
      BUS_MAX_REQUESTS_PER_SERVICE: '16',
    };
    await ownStack.start();
    world = await World.of(ownStack, `${origin}/logout`);
    recorder = new Recorder(ownStack);
    recorder.start();
  });
  afterAll(async () => {
    await recorder?.stop();
    await world?.stopTraffic();
    await ownStack.remove();
    app.close();
    closeConnections();
  });

  it('no alert fires while customers are offered credentials, claim them and sign in', async () => {
    for (let i = 0; i < 3; i += 1) {
      const { body } = await world.shop.offer();
      customer = body.subject;
      await world.browsers.signIn(customer, await world.browsers.claim(body));
      await world.shop.get(body.subject);
    }
    await recorder.pass(20);
    expect(await unexpected()).toEqual([]);
  });

  it.each(phases.map((incidents) => [incidents.map(({ name }) => name).join(', and '), incidents] as const))(
    'their alerts fire, and no other, doctor names the causes, and a customer is explained, when %s',
    async (_, incidents) => {
      const isFirst = begun.length === 0;
      const beginning = isFirst ? [...lasting, ...incidents] : incidents;
      begun.push(...beginning);
      const since = recorder.scrapes;
      recorder.pauseMs = Math.max(scrapePauseMs, ...incidents.map((one) => one.scrapePauseMs ?? 0));
      await Promise.all(beginning.map((incident) => incident.begin(world)));
      try {
        await untilNone(() => notFired(incidents, since));
        await untilDoctorFinds(incidents);
        await untilExplained(incidents);
      } finally {
        await Promise.all(incidents.map((incident) => incident.end(world)));
      }
      expect(await unexpected()).toEqual([]);
    },
  );

  itInLongForm(
    `their alerts fire, and no other, when ${lastingOfAll.map(({ name }) => name).join(', and ')}`,
    async () => {
      // An hour of the recording at once. Each evaluation reads all of it, so the rest is recorded as in the phases.
      recorder.pauseMs = 0;
      const slower = setTimeout(() => (recorder.pauseMs = scrapePauseMs), 60_000);
      try {
        await untilNone(() => notFired(lasting, 0), 420_000);
        await untilDoctorFinds(lasting);
        await untilExplained(lasting);
      } finally {
        clearTimeout(slower);
        await Promise.all(lasting.map((incident) => incident.end(world)));
      }
      expect(await unexpected()).toEqual([]);
    },
    600_000,
  );

  it('each alert that fired has the labels that its annotations name', async () => {
    const fired = await recorder.firedSince(0);
    const unnamed = fired.flatMap((one) =>
      labelsInAnnotations.get(one.alertname)!.flatMap((label) => (one[label] ? [] : `${one.alertname}: ${label}`)),
    );
    expect(unnamed).toEqual([]);
  });

  itInLongForm(
    'the alerts end when their causes have ended',
    async () => {
      await untilNone(async () => (await recorder.firing()).filter(({ alertname }) => !endLater.includes(alertname)));
    },
    300_000,
  );
});
