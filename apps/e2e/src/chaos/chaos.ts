import type { Operation } from '@holdfast/contracts';
import { Client } from '../client.ts';
import { eventually, sleep, times } from '../parallel.ts';
import { randomSequence } from '../random.ts';
import type { Stack } from '../stack.ts';
import { CheckpointFollower } from './checkpoint-follower.ts';
import { CustomerBrowsers, redirectUris } from './customer-browsers.fixture.ts';
import { live, type Known } from './customer.ts';
import { FeedReader } from './feed-reader.ts';
import { RetryingClient, type Attempt } from './retrying-client.ts';
import { AnonymousCaller } from './anonymous-caller.ts';

export interface ChaosOptions {
  /** Repeats what customers do. */
  seed: number;
  print: (line: string) => void;
  /** What happens to the processes while customers live their lives; they go on until it is over. */
  disturb: (load: Load) => Promise<void>;
  /** Customers at a time. */
  workers?: number;
}

/** What is going on. */
export interface Load {
  /** Changes that were answered. */
  readonly acknowledged: number;
  readonly attempts: readonly Attempt[];
}

export interface KillOptions {
  kills: number;
  /** Repeats the order of the kills. */
  seed: number;
  print: (line: string) => void;
}

/** What the callers were told, to be held against what the stack says afterwards. */
export interface Oracle {
  stack: Stack;
  org: string;
  customers: Known[];
  attempts: Attempt[];
  errors: string[];
  /** Who read the event feed all the time. */
  follower: FeedReader;
  /** Who took checkpoints of the log all the time. */
  witness: CheckpointFollower;
  /** Who called without a token all the time. */
  stranger: AnonymousCaller;
  seed: number;
  /** Who may read what. */
  shop: Client;
  reader: Client;
}

const customerScopes: Operation[] = ['offers:write', 'issued:read', 'issued:manage'];
const readerScopes: Operation[] = ['audit:read', 'webhooks:manage'];

export interface LoadOptions {
  seed: number;
  /** How many customers live at a time. */
  width: number;
  print: (line: string) => void;
}

/** Lives of customers, many at a time, while processes are disturbed. */
export function chaos(stack: Stack, { seed, print, disturb, workers = 8 }: ChaosOptions): Promise<Oracle> {
  return underLoad(stack, { seed, width: workers, print }, (_, load) => disturb(load));
}

/**
 * Does something while customers are offered credentials, claim them, sign in, are suspended and erased. `progress`
 * counts their changes.
 */
export async function underLoad(
  stack: Stack,
  { seed, width, print }: LoadOptions,
  something: (progress: () => number, load: Load) => Promise<void>,
): Promise<Oracle> {
  const org = await stack.newOrganization();
  const app = await stack.newApp(org, 'shop', customerScopes, 'web', redirectUris);
  const shop = new Client(stack, app);
  const reader = new Client(stack, await stack.newApp(org, 'reader', readerScopes, 'service'));
  const [patient, browsers] = [new RetryingClient(shop), await CustomerBrowsers.of(stack, app)];
  const [follower, witness, stranger] = [
    new FeedReader(reader),
    new CheckpointFollower(reader),
    new AnonymousCaller(shop),
  ];
  const customers: Known[] = [];
  let living = true;

  const worker = async (n: number) => {
    const random = randomSequence(seed + n + 1);
    for (let life = 0; living; life += 1) customers.push(await live(patient, browsers, `${org}-${n}-${life}`, random));
  };
  const load = Promise.all(times(width).map(worker));
  const following = Promise.all([follower, witness, stranger].map((f) => f.follow(() => !living)));
  await something(() => patient.acknowledged, patient).finally(() => (living = false));
  await load;
  await following;
  const events = customers.flatMap((c) => c.events);
  print(
    `  ${customers.length} customers, ${events.filter((e) => /issued|rekeyed/.test(e)).length} claims, ${browsers.signIns} sign-ins, ${patient.acknowledged} changes by the app in ${patient.attempts.length} requests, ${customers.filter((c) => c.erased).length} erased; ${witness.taken.size} checkpoints taken, ${[...stranger.minutes.values()].reduce((sum, m) => sum + m.answered, 0)} calls without a token`,
  );
  return {
    stack,
    org,
    seed,
    witness,
    stranger,
    customers,
    attempts: patient.attempts,
    errors: [...patient.errors, ...browsers.errors],
    follower,
    shop,
    reader,
  };
}

/** SIGKILL to any process, servers included, at random instants in the middle of the work that `progress` counts. */
export async function killAtRandom(
  stack: Stack,
  { kills, seed, print }: KillOptions,
  progress: () => number,
): Promise<void> {
  const random = randomSequence(seed);
  const services = stack.demo.services.filter((s) => s.name !== 'shop').map((s) => `${s.name}-${s.replica}`);
  const targets = [...services, 'nats', 'postgres'].sort();
  for (const n of times(kills)) {
    // After some more changes, or after a while when everything stands still.
    const goal = progress() + random(80);
    const end = performance.now() + 3000 + random(3000);
    while (progress() < goal && performance.now() < end) await sleep(20);
    const target = targets[random(targets.length)]!;
    print(`  kill ${n + 1} of ${kills}: ${target} (after ${progress()} changes)`);
    await eventually(() => stack.control('kill', target).then(() => true), 30_000, `a ${target} to kill`);
  }
}
