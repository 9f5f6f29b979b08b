import { Gauge } from 'prom-client';

/** Long enough that each scrape reads every peak. */
const windowSeconds = 30;

interface Second {
  second: number;
  /** Highest share that was in use. */
  share: number;
  accepted: number;
  rejected: number;
}

/**
 * How close a process is to rejecting requests because of a limit, for an autoscaler: the highest share of the limit
 * that was in use within the last 30 seconds. If it rejected requests, 1 and the rejected part of a second's requests,
 * so that an autoscaler sees how much is missing (docs/deploy.md).
 */
export class Load {
  private readonly seconds: Second[] = Array.from({ length: windowSeconds }, () => empty(-1));

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Counts an accepted request. @param share of the limit that is in use with it, 0 to 1 */
  accept(share: number): void {
    const current = this.current();
    current.accepted += 1;
    if (share > current.share) current.share = share;
  }

  /** Counts a request that was rejected because the limit is reached. */
  reject(): void {
    this.current().rejected += 1;
  }

  /** 0 to 1; above 1, and at most 2, if requests were rejected. */
  get ratio(): number {
    const oldest = Math.floor(this.now() / 1000) - windowSeconds;
    const recent = this.seconds.filter(({ second }) => second > oldest);
    return Math.max(0, ...recent.map(ratioOf));
  }

  private current(): Second {
    const second = Math.floor(this.now() / 1000);
    const index = second % windowSeconds;
    let current = this.seconds[index]!;
    if (current.second !== second) this.seconds[index] = current = empty(second);
    return current;
  }
}

function empty(second: number): Second {
  return { second, share: 0, accepted: 0, rejected: 0 };
}

function ratioOf({ share, accepted, rejected }: Second): number {
  return rejected === 0 ? share : 1 + rejected / (accepted + rejected);
}

const loads = new Map<string, Load>();

/** The load of this process by one of its limits. */
export function loadOf(limit: string): Load {
  let load = loads.get(limit);
  if (!load) loads.set(limit, (load = new Load()));
  return load;
}

new Gauge({
  name: 'holdfast_load_ratio',
  help:
    'How close this replica is to rejecting requests: the highest share of a limit in use within 30 seconds, queues ' +
    'included. Above 1 it rejected requests: 1 and the rejected part of them',
  collect() {
    this.set(Math.max(0, ...[...loads.values()].map(({ ratio }) => ratio)));
  },
});
