import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { EphemeralServers } from '../infra/ephemeral.ts';
import { freePorts } from '../infra/ports.ts';
import { hasEnded } from '../infra/program.ts';
import { root } from '../setup/paths.mjs';

/** Lets tests wait for the expiration of an offer. */
const shortOffers = { OFFER_MIN_SECONDS: '2' };
/** Presence proofs that cost little CPU and expire early, and a Turnstile URL that services may not call. */
const cheapPresence = {
  PRESENCE_COST: '1',
  PRESENCE_STEPS: '4',
  PRESENCE_SECONDS: '15',
  TURNSTILE_URL: 'http://127.0.0.1:9/siteverify',
};

/** All tests share one address, and the benchmark is one app. Tests of limits use addresses of their own. */
const highLimits = {
  RATE_LIMITS: 'all=100000000,presence=600',
  CLIENT_RATE_PER_MINUTE: '100000000',
  WRONG_SECRETS_PER_MINUTE: '1000000',
};

/**
 * Starts a full stack for the black-box tests, with two replicas where the specification makes promises about replicas.
 * `servers` stops it, even if Ctrl-C comes while it starts. The program and its build are those of `clone`.
 * @returns variables that tell the tests its folder and addresses
 */
export async function startStack(
  servers: EphemeralServers,
  replicas = 'auth=2,gateway=2,subjects=2',
  more: string[] = [],
  { clone = root, home = servers.stackFolder }: { clone?: string; home?: string } = {},
): Promise<NodeJS.ProcessEnv> {
  const port = await freePorts(2);
  const shop = await freePorts(2);
  // A test listens here for requests of the stack, and here for connections with TLS.
  const receiverPort = await freePorts(2);
  const receiver = `http://localhost:${receiverPort}`;
  const tlsReceiver = `https://localhost:${receiverPort + 1}`;
  const { DATABASE_URL: _database, NATS_URL: _nats, BASE_URL: _address, HTTP_HOST: _host, ...env } = process.env;
  const stack = fork(join(clone, 'tools', 'launcher', 'main.ts'), ['--replicas', replicas, ...more], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: {
      ...env,
      HOLDFAST_HOME: home,
      HOLDFAST_ENV_FILE: join(home, '.env'),
      PORT: String(port),
      SHOP_PORT: String(shop),
      KIOSK_PORT: String(shop + 1),
      OUTBOUND_ALLOW: `${receiver},${tlsReceiver}`,
      // As in production: tests see that other addresses of this machine are refused.
      OUTBOUND_ALLOW_LOOPBACK: 'false',
      ...shortOffers,
      ...cheapPresence,
      ...highLimits,
    },
  });
  servers.onStop(async () => {
    if (hasEnded(stack)) return;
    const ended = once(stack, 'exit');
    stack.kill('SIGTERM');
    await ended;
  });
  const ready = await Promise.race([once(stack, 'message').then(() => true), once(stack, 'exit').then(() => false)]);
  if (!ready) throw new Error('The stack for the e2e tests did not start. Its output is above.');
  return {
    HOLDFAST_HOME: home,
    HOLDFAST_DEMO: join(home, 'demo.json'),
    HOLDFAST_TEST_RECEIVER: receiver,
    HOLDFAST_TEST_TLS_RECEIVER: tlsReceiver,
  };
}
