import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from '../stack/stack.ts';
import { firedAlerts, firingAlerts, type Alert } from './promtool.ts';
import { ofTarget, Recording, samplesOf, type Labels, type Sample } from './recording.ts';

interface Target {
  labels: Labels;
  metricsUrl: string;
  readyUrl: string;
  /** Of the readiness probe, without a success between them. */
  failedProbes: number;
}

/** A process that does not respond for so long counts as down. */
const scrapeTimeoutMs = 2000;
/** Those of the readiness probe in the chart. */
const probe = { timeoutMs: 4000, failureThreshold: 2 };
/** Between two scrapes, so that what a service does each second happens between a few of them. */
export const scrapePauseMs = 200;

/**
 * Scrapes every service of a running stack all the time, and has promtool evaluate the alert rules over what they
 * exposed. Each scrape is recorded as if 15 seconds had passed, so `for: 10m` is 40 scrapes; everything else is real.
 */
export class Recorder {
  readonly #targets: Target[];
  readonly #recording = new Recording();
  readonly #file: string;
  #running: Promise<unknown> | undefined;
  #stopped = false;
  pauseMs = scrapePauseMs;

  constructor(stack: Stack) {
    this.#file = join(stack.home, 'recording.json');
    this.#targets = stack.demo.services.map(({ name, replica, readyUrl }) => {
      const pod = `${name}-${replica}`;
      const port = /"opsPort":(\d+)/.exec(readFileSync(join(stack.home, 'logs', `${pod}.log`), 'utf8'))![1];
      const instance = `127.0.0.1:${port}`;
      const labels = { namespace: 'holdfast', pod, job: 'holdfast/holdfast', instance, component: name };
      return {
        labels: new Map(Object.entries(labels)),
        metricsUrl: `http://${instance}/metrics`,
        readyUrl,
        failedProbes: 0,
      };
    });
  }

  start(): void {
    this.#running = Promise.all([
      this.#repeat(async () => {
        this.#recording.add((await Promise.all(this.#targets.map(scrape))).flat());
        await sleep(this.pauseMs);
      }),
      // As the kubelet does, independently of the scrapes: a service may need seconds to say that it is not ready.
      ...this.#targets.map((target) =>
        this.#repeat(async () => {
          const responded = (await get(target.readyUrl, probe.timeoutMs)) !== undefined;
          target.failedProbes = responded ? 0 : target.failedProbes + 1;
          await sleep(scrapePauseMs);
        }),
      ),
    ]);
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    while (!this.#stopped) await work();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  /** How many scrapes were recorded. */
  get scrapes(): number {
    return this.#recording.scrapes;
  }

  /** Resolves after so many more scrapes. */
  async pass(scrapes: number): Promise<void> {
    const until = this.#recording.scrapes + scrapes;
    while (this.#recording.scrapes < until) await Promise.race([sleep(20), this.#running]);
  }

  /** What fires now. */
  firing(): Promise<Alert[]> {
    return firingAlerts(this.#recording, this.#file);
  }

  /** What has fired since so many scrapes were recorded. */
  firedSince(scrapes: number): Promise<Alert[]> {
    return firedAlerts(this.#recording, scrapes, this.#file);
  }
}

/** The response of a process; undefined when it does not respond in time. */
async function get(url: string, timeoutMs: number): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    const text = await response.text();
    return response.ok ? text : undefined;
  } catch {
    return undefined;
  }
}

/** One scrape of a process, with the series that Prometheus and kube-state-metrics add. */
async function scrape({ labels, metricsUrl, failedProbes }: Target): Promise<Sample[]> {
  const text = await get(metricsUrl, scrapeTimeoutMs);
  const isReady = failedProbes < probe.failureThreshold;
  const ofPod = [...labels].filter(([name]) => name === 'namespace' || name === 'pod');
  const condition = (name: string, holds: boolean) => ({
    metric: 'kube_pod_status_ready',
    labels: new Map([...ofPod, ['condition', name]]),
    value: holds ? 1 : 0,
  });
  return [
    { metric: 'up', labels, value: text === undefined ? 0 : 1 },
    ...(text === undefined ? [] : ofTarget(samplesOf(text), labels)),
    condition('true', isReady),
    condition('false', !isReady),
  ];
}
