import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '@holdfast/contracts';
import { eventually, randomSequence } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { times } from '../stack/parallel.ts';
import type { Stack } from '../stack/stack.ts';
import { AnonymousCaller } from './anonymous-caller.ts';
import { CheckpointFollower } from './checkpoint-follower.ts';
import { CustomerBrowsers, redirectUris } from './customer-browsers.fixture.ts';
import { simulateCustomer, type AcknowledgedCustomer } from './customer.ts';
import { FeedReader } from './feed-reader.ts';
import { LogConsumers, type LogConsumerOptions } from './log-consumers.ts';
import type { LogoutTokens } from './logout-tokens.fixture.ts';
import type { PrivateStack } from './private-stack.ts';
import { RetryingClient, type Attempt } from './retrying-client.ts';
import { SecurityEvents } from './security-events.fixture.ts';
import type { WebhookReceivers } from './webhook-receivers.fixture.ts';

/** The load so far. */
export interface Load {
  /** Changes whose success was acknowledged. */
  readonly acknowledged: number;
  readonly attempts: readonly Attempt[];
}

/**
 * Runs under load. `clients` are the apps of the load, which keep their tokens for minutes; `customers` are those who
 * have done everything that they will do.
 */
export type Disturbance = (load: Load, clients: Client[], customers: readonly AcknowledgedCustomer[]) => Promise<void>;

export interface LoadOptions {
  /** Repeats what customers do. */
  seed: number;
  /** Concurrent customers. */
  width: number;
  /** Pause of each between two customers, none when left out: a load that leaves the machine time for other work. */
  pauseMs?: number;
  print: (line: string) => void;
  /** Also streams, polls, sends and exports the audit log. */
  logConsumers?: LogConsumerOptions;
  /** Also sends every event to receivers of webhooks, and has a receiver of security events poll. */
  webhooks?: WebhookReceivers;
  /** Also sends logout tokens to the app. */
  logouts?: LogoutTokens;
}

export interface KillOptions {
  kills: number;
  /** Repeats the order of the kills. */
  seed: number;
  print: (line: string) => void;
}

/** Everything that was acknowledged to callers. Afterwards the state of the stack is compared with it. */
export interface Oracle {
  stack: Stack;
  org: string;
  customers: AcknowledgedCustomer[];
  attempts: Attempt[];
  errors: string[];
  /** Reads the event feed during the whole load. */
  feedFollower: FeedReader;
  /** Fetches checkpoints of the log during the whole load. */
  checkpointFollower: CheckpointFollower;
  /** Calls without a token during the whole load. */
  anonymousCaller: AnonymousCaller;
  logConsumers?: LogConsumers;
  webhooks?: WebhookReceivers;
  logouts?: LogoutTokens;
  securityEvents?: SecurityEvents;
  seed: number;
  /** The app whose customers they are. */
  shop: Client;
  /** May read the event feed and the audit log. */
  reader: Client;
}

const customerScopes: Operation[] = ['offers:write', 'issued:read', 'issued:manage'];
const readerScopes: Operation[] = ['audit:read', 'analytics:read', 'webhooks:manage'];
const exporterScopes: Operation[] = ['audit:read', 'audit:export'];

/**
 * Runs `disturb` while customers are offered credentials, claim them, sign in, are suspended and erased. The load ends
 * when `disturb` does.
 */
export async function underLoad(
  stack: PrivateStack,
  { seed, width, pauseMs = 0, print, logConsumers: consumed, webhooks, logouts }: LoadOptions,
  disturb: Disturbance,
): Promise<Oracle> {
  const org = await stack.newOrganization();
  const app = await stack.newApp(org, 'shop', customerScopes, 'web', redirectUris);
  const shop = new Client(stack, app);
  const reader = new Client(stack, await stack.newApp(org, 'reader', readerScopes, 'service'));
  await webhooks?.create(reader);
  await logouts?.registerAt(stack, app);
  const securityEvents = webhooks && (await SecurityEvents.create(stack, org, seed));
  const [client, browsers] = [new RetryingClient(shop), await CustomerBrowsers.of(stack, app)];
  const feedFollower = new FeedReader(reader);
  const checkpointFollower = new CheckpointFollower(reader);
  const anonymousCaller = new AnonymousCaller(shop);
  const exporter = consumed && new Client(stack, await stack.newApp(org, 'exporter', exporterScopes, 'service'));
  const logConsumers = consumed && new LogConsumers(stack, exporter!, consumed);
  const customers: AcknowledgedCustomer[] = [];
  let stopped = false;

  const worker = async (n: number) => {
    const random = randomSequence(seed + n + 1);
    for (let i = 0; !stopped; i += 1) {
      customers.push(await simulateCustomer(client, browsers, `${org}-${n}-${i}`, random));
      await sleep(pauseMs);
    }
  };
  const workers = Promise.all(times(width).map(worker));
  const followers = [
    ...[feedFollower, checkpointFollower, anonymousCaller],
    ...(logConsumers ? [logConsumers] : []),
    ...(securityEvents ? [securityEvents] : []),
  ];
  const following = Promise.all(followers.map((follower) => follower.runUntil(() => stopped)));
  // A worker that fails ends the load.
  await Promise.race([disturb(client, [shop, reader], customers), workers]).finally(() => (stopped = true));
  await workers;
  await following;
  const claims = customers.flatMap((c) => c.events).filter((e) => /issued|rekeyed/.test(e)).length;
  const denied = [...anonymousCaller.minutes.values()].reduce((sum, m) => sum + m.denied, 0);
  print(
    `  ${customers.length} customers, ${claims} claims, ${browsers.signIns} sign-ins, ` +
      `${client.acknowledged} changes by the app in ${client.attempts.length} requests, ` +
      `${customers.filter((c) => c.erased).length} erasures; ` +
      `${checkpointFollower.checkpoints.size} checkpoints fetched, ${denied} calls without a token`,
  );
  if (logConsumers) print(logConsumers.describe());
  if (webhooks) print(webhooks.describe());
  if (logouts) print(logouts.describe());
  if (securityEvents) print(securityEvents.describe());
  return {
    stack,
    org,
    seed,
    ...(logConsumers && { logConsumers }),
    ...(webhooks && { webhooks }),
    ...(logouts && { logouts }),
    ...(securityEvents && { securityEvents }),
    checkpointFollower,
    anonymousCaller,
    customers,
    attempts: client.attempts,
    errors: [...client.errors, ...browsers.errors],
    feedFollower,
    shop,
    reader,
  };
}

/** Sends SIGKILL to any process, servers included, at random instants during the load. */
export async function killAtRandom(stack: Stack, { kills, seed, print }: KillOptions, load: Load): Promise<void> {
  const random = randomSequence(seed);
  const services = stack.demo.services.filter((s) => s.name !== 'shop').map((s) => `${s.name}-${s.replica}`);
  const targets = [...services, 'nats', 'postgres'].sort();
  for (const n of times(kills)) {
    // After a number of further changes, or after some seconds while no change succeeds.
    const goal = load.acknowledged + random(80);
    const end = performance.now() + 3000 + random(3000);
    while (load.acknowledged < goal && performance.now() < end) await sleep(20);
    const target = targets[random(targets.length)]!;
    print(`  kill ${n + 1} of ${kills}: ${target} (after ${load.acknowledged} changes)`);
    await eventually(() => stack.control('kill', target));
  }
}
