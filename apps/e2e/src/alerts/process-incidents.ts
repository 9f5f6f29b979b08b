// Incidents of one process: its clock, its event loop, its code.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServiceName } from '@holdfast/contracts';
import type { Stack } from '../stack/stack.ts';
import { beginDefect, defectiveBuild } from './defective-build.ts';
import { alert, type Incident } from './incident.ts';

async function restart(stack: Stack, target: string, options: Parameters<Stack['control']>[2] = {}): Promise<void> {
  await stack.control('stop', target);
  await stack.control('start', target, options);
}

/** Runs a service with a defect, which begins when the service is ready. */
async function startWithDefect(stack: Stack, service: ServiceName, replica: number, defect: string): Promise<void> {
  await restart(stack, `${service}-${replica}`, { build: defectiveBuild(stack, service, defect) });
  beginDefect(stack, service, replica);
}

export const wrongClock: Incident = {
  name: 'the clock of the machine of a replica of auth jumps by 10 s',
  begin({ stack }) {
    const platform = pathToFileURL(join(stack.launcher.build, 'libs', 'platform', 'dist', 'index.js')).href;
    return startWithDefect(stack, 'auth', 2, `void import('${platform}').then(({ shiftTime }) => shiftTime(10));`);
  },
  end: ({ stack }) => restart(stack, 'auth-2'),
  alerts: [
    alert('ClockWrong', { pod: 'auth-2', reference: 'postgres' }),
    alert('ClockWrong', { pod: 'auth-2', reference: 'peers' }),
    alert('PodNotReady', { pod: 'auth-2' }),
    alert('AuthReplicaDown'),
  ],
  doctor: [/^auth: the clock of this machine is/],
};

export const testClock: Incident = {
  name: 'the clock of a replica of auth is shifted for tests',
  begin: ({ stack }) => restart(stack, 'auth-2', { settings: { HOLDFAST_TEST_CLOCK: '+1' } }),
  end: ({ stack }) => restart(stack, 'auth-2'),
  alerts: [alert('TestClock', { pod: 'auth-2' })],
  doctor: [/^auth: its clock is shifted by 1 s/],
  mayFollow: [alert('AuthReplicaDown')],
};

const blockedMs = 250;

export const blockedEventLoop: Incident = {
  name: 'a version of signals blocks its event loop and does not handle a rejection',
  begin: ({ stack }) =>
    startWithDefect(
      stack,
      'signals',
      1,
      `setInterval(() => {
         for (const until = performance.now() + ${blockedMs}; performance.now() < until; );
         void Promise.reject(new Error('a defect of this test'));
       });`,
    ),
  end: ({ stack }) => restart(stack, 'signals-1'),
  alerts: [
    alert('EventLoopLate', { pod: 'signals-1' }),
    alert('EventLoopBusy', { component: 'signals' }),
    alert('UnhandledRejection', { component: 'signals' }),
  ],
  doctor: [/^signals: its event loop is late by/, /^signals: .+ rejected promises were not handled/],
  // While its process is replaced, and because it responds late.
  mayFollow: [alert('ServiceDown', { component: 'signals' }), alert('PodNotReady', { pod: 'signals-1' })],
  scrapePauseMs: 2 * blockedMs,
};
