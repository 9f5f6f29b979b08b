import { setTimeout as sleep } from 'node:timers/promises';
import { jetStreamState, type Bus, type JetStreamState, type StreamState } from '@holdfast/messaging/client';
import { withBus } from '../operator-session.js';
import { check, found, megabytes, type Finding } from './finding.js';

/** Some seconds of events under load. More means that a consumer does not keep up. */
const maxUnacknowledged = 1000;
/** After it, a consumer that keeps up has applied what was new. */
const readingPauseMs = 1000;
const fullShare = 0.75;

/** Streams and consumers, what they have not applied, and the storage of JetStream, as the NATS user `deploy`. */
export function streamFindings(nkeySeed: string | undefined): Promise<Finding[]> {
  if (nkeySeed === undefined)
    return Promise.resolve([
      {
        check: 'JetStream',
        result: 'skipped',
        detail: 'NATS_DEPLOY_NKEY_SEED is not set',
        advice: 'Set it to the seed of the NATS user deploy, to check streams, consumers and storage.',
      },
    ]);
  const advice = 'Run "holdfast bus declare". If that fails too, is JetStream enabled, and is its disk writable?';
  return check('JetStream', advice, () =>
    withBus(
      'deploy',
      async ({ connection }) => {
        const { streams, entries, storedBytes, maxBytes } = await settledState(connection);
        const limit = maxBytes < 0 ? 'without a limit' : `of ${megabytes(maxBytes)}`;
        return [
          maxBytes >= 0 && storedBytes > maxBytes * fullShare
            ? {
                check: 'JetStream',
                result: 'warning' as const,
                detail: `${megabytes(storedBytes)} ${limit} are stored`,
                advice: 'Find the consumer that does not apply its events, or raise max_file in nats.conf.',
              }
            : found('JetStream', `${megabytes(storedBytes)} ${limit} are stored`),
          ...streams.flatMap(findingsOf),
          ...entryFindingsOf(entries),
        ];
      },
      { nkeySeed },
    ),
  );
}

/** The state, or the one a second later when a consumer is late: it may have been for a moment. */
async function settledState(connection: Bus['connection']): Promise<JetStreamState> {
  const state = await jetStreamState(connection);
  if ([...state.streams, state.entries].every((one) => lateOf(one).length === 0)) return state;
  await sleep(readingPauseMs);
  return jetStreamState(connection);
}

const checkOf = ({ stream }: StreamState) => `stream ${stream}`;
const lateOf = ({ consumers }: StreamState) =>
  consumers.filter(({ unacknowledged }) => unacknowledged > maxUnacknowledged);

function findingsOf(state: StreamState): Finding[] {
  const { bytes, maxBytes, consumers } = state;
  const name = checkOf(state);
  const findings: Finding[] = lateOf(state).map(({ consumer, unacknowledged }) => ({
    check: name,
    result: 'warning',
    detail: `${consumer} has not applied ${unacknowledged} events`,
    advice: `Read the log of ${consumer}, and check its database.`,
  }));
  if (bytes > maxBytes * fullShare)
    findings.push({
      check: name,
      result: 'warning',
      detail: `${megabytes(bytes)} of ${megabytes(maxBytes)} are stored; JetStream discards the oldest when it is full`,
      advice: 'Find the consumer that does not apply its events. None is lost: the outbox publishes them again.',
    });
  findings.push(...receptionFindingsOf(state), ...offlineFindingsOf(state));
  const highest = Math.max(0, ...consumers.map(({ unacknowledged }) => unacknowledged));
  return findings.length > 0
    ? findings
    : [found(name, `${megabytes(bytes)}, ${consumers.length} consumers, ${highest} events not applied at most`)];
}

/** A full stream of entries is how it should be: it keeps what readers have read, until its limits. */
function entryFindingsOf(state: StreamState): Finding[] {
  const name = checkOf(state);
  const findings: Finding[] = lateOf(state).map(({ consumer, unacknowledged }) => ({
    check: name,
    result: 'warning',
    detail: `${consumer} has not acknowledged ${unacknowledged} entries, of which the oldest are discarded in time`,
    advice: 'Start this reader, or delete it with "holdfast audit reader delete".',
  }));
  findings.push(...receptionFindingsOf(state), ...offlineFindingsOf(state));
  return findings.length > 0
    ? findings
    : [found(name, `${megabytes(state.bytes)} of ${megabytes(state.maxBytes)}, ${state.consumers.length} readers`)];
}

/** Such a stream stores nothing, and looks healthy otherwise. */
function receptionFindingsOf(state: StreamState): Finding[] {
  const { reception } = state;
  if (reception.receives) return [];
  return [
    {
      check: checkOf(state),
      result: 'failed',
      detail: `it does not receive what is published to it: ${reception.reason}`,
      advice: 'Run "holdfast bus declare", which repairs it. Events stay in the outbox meanwhile.',
    },
  ];
}

function offlineFindingsOf(state: StreamState): Finding[] {
  if (state.offlineReplicas === 0) return [];
  return [
    {
      check: checkOf(state),
      result: 'warning',
      detail: `${state.offlineReplicas} of its servers do not store it or are behind`,
      advice: 'Start these nats-servers, and check the routes between them.',
    },
  ];
}
