import { setTimeout as sleep } from 'node:timers/promises';
import { contracts, quarantines, type ServiceName } from '@holdfast/contracts';
import { Replicas, unsupportedVersion, type Bus } from '@holdfast/messaging/client';
import { operatorContext, withBus } from '../operator-session.js';
import { reportsOfReplicas } from '../replica-report.js';
import { check, clockFinding, found, type Finding } from './finding.js';
import { metricFindings } from './metrics.js';

/** Every live replica announces itself four times in it. */
const listenMs = 1200;
/** On a busy machine an announcement takes longer. */
const maxListenMs = 3000;
const stepMs = 100;
/** Between the two readings of a replica: what only the first one shows has passed. */
const readingPauseMs = 1000;
/** The services whose announcements the operator may receive. */
const services = [...new Set(contracts.flatMap((c) => (c.callers.includes('operator') ? [c.service] : [])))].sort();

interface Announced {
  /** Whether each replica is ready, by its id. */
  replicas: Map<string, boolean>;
  /** By how much each announcement was ahead of this machine's clock when it arrived, in ms. */
  aheadMs: number[];
}

/** NATS, the replicas of the services, their clocks, and quarantined events, as the operator. */
export function busFindings(): Promise<Finding[]> {
  const advice =
    'Check NATS_URL, NATS_CA_FILE and NATS_NKEY_SEED (of the user operator), and that nats-server runs: the services ' +
    'need it for everything.';
  return check('NATS', advice, () =>
    withBus('operator', async (bus) => {
      const { connection } = bus;
      const sentAt = performance.now();
      await connection.flush();
      const roundTripMs = (performance.now() - sentAt).toFixed(1);
      const problem = unsupportedVersion(connection);
      const version = connection.info?.version ?? 'unknown';
      return [
        problem === undefined
          ? found('NATS', `nats-server ${version} responds in ${roundTripMs} ms`)
          : { check: 'NATS', result: 'failed' as const, detail: problem, advice: 'Upgrade nats-server.' },
        ...(await Promise.all([
          check('services', 'Is NATS overloaded? See the findings above.', () => serviceFindings(bus)),
          check('quarantined events', 'Is the producer running? See the findings above.', () =>
            quarantineFindings(bus),
          ),
        ])),
      ].flat();
    }),
  );
}

async function serviceFindings({ connection }: Bus): Promise<Finding[]> {
  const announced = new Map<ServiceName, Announced>();
  for (const service of services) announced.set(service, { replicas: new Map(), aheadMs: [] });
  const replicas = new Replicas(connection, (service, { replica, atMs, ready = true, leaving = false }) => {
    const state = announced.get(service)!;
    if (leaving) state.replicas.delete(replica);
    else state.replicas.set(replica, ready);
    state.aheadMs.push(atMs - Date.now());
  });
  replicas.watchServices(services);
  const heard = () => [...announced.values()].every((state) => state.replicas.size > 0);
  for (let waitedMs = 0; waitedMs < (heard() ? listenMs : maxListenMs); waitedMs += stepMs) await sleep(stepMs);
  const findings = await Promise.all(
    services.map(async (service) => {
      const state = announced.get(service)!;
      const problems = await problemsOf(connection, service, state.replicas);
      return [...findingsOf(service, state), ...problems];
    }),
  );
  return findings.flat();
}

/**
 * What the replicas of a service show at /readyz as faults, and their metrics, each once: replicas of one server share
 * its faults. Each replica is read twice, unless it does not answer.
 */
async function problemsOf(
  connection: Bus['connection'],
  service: ServiceName,
  announced: ReadonlyMap<string, boolean>,
): Promise<Finding[]> {
  const ids = [...announced.keys()];
  const first = await reportsOfReplicas(connection, service, ids, 'doctor');
  const answering = ids.filter((_, i) => first[i]?.report);
  if (answering.length > 0) await sleep(readingPauseMs);
  const second = await reportsOfReplicas(connection, service, answering, 'doctor');
  const problems: string[] = [];
  const ofMetrics: Finding[] = [];
  for (const [i, id] of ids.entries()) {
    const before = first[i]?.report;
    const { report, reason } = (before ? second[answering.indexOf(id)] : first[i]) ?? {};
    if (report) {
      problems.push(...(report.problems ?? []));
      const uptimeMinutes = (Date.now() - Date.parse(report.startedAt)) / 60_000;
      ofMetrics.push(...metricFindings(service, { before: before?.metrics ?? '', now: report.metrics, uptimeMinutes }));
    } else if (reason !== undefined && announced.has(id))
      problems.push(`a replica announces itself and does not answer: ${reason}`);
  }
  return [
    ...eachOnce(
      problems.map((detail) => ({
        check: service,
        result: 'failed',
        detail,
        advice: `Read the log of ${service} and its /readyz, and see "Alerts" in the runbook for this sentence.`,
      })),
    ),
    ...eachOnce(ofMetrics),
  ];
}

/** Findings that differ in their numbers only are one. */
function eachOnce(findings: Finding[]): Finding[] {
  const byKind = Map.groupBy(findings, ({ detail }) => detail.replaceAll(/\d+(\.\d+)?/g, '0'));
  return [...byKind.values()].map((same) => {
    const last = same.at(-1)!;
    return same.length === 1 ? last : { ...last, detail: `${last.detail} (${same.length} replicas)` };
  });
}

function findingsOf(service: ServiceName, { replicas, aheadMs }: Announced): Finding[] {
  if (replicas.size === 0)
    return [
      {
        check: service,
        result: 'failed',
        detail: 'no replica announces itself',
        advice: `Start ${service}, and read its log: it is stopped, hangs, or cannot reach NATS.`,
      },
    ];
  const ready = [...replicas.values()].filter(Boolean).length;
  const detail = `${ready} of ${replicas.size} replicas are ready`;
  // The fastest announcement: the others were delayed, which makes a clock look behind.
  const clock = clockFinding(`clock of ${service}`, Math.max(...aheadMs), 0);
  return [
    ready === replicas.size
      ? found(service, detail)
      : {
          check: service,
          result: ready === 0 ? 'failed' : 'warning',
          detail,
          advice: `Read /readyz of ${service} on its OPS_PORT: it names what is missing.`,
        },
    ...(clock.result === 'ok' ? [] : [clock]),
  ];
}

async function quarantineFindings(bus: Bus): Promise<Finding[]> {
  const replies = await Promise.all(
    Object.values(quarantines).map(({ list }) => bus.request(list, {}, operatorContext('doctor', ''))),
  );
  const count = replies.reduce((sum, reply) => sum + reply.count, 0);
  if (count === 0) return [found('quarantined events', 'none')];
  return [
    {
      check: 'quarantined events',
      result: 'failed',
      detail: `${count}: a service cannot apply them`,
      advice: '"holdfast events quarantined" lists them with the reason; see the runbook.',
    },
  ];
}
