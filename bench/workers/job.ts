/** One request that is sent again and again. */
export interface HttpRequest {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Requests over HTTP, in turn. `expect` is the status of a good answer. */
export interface HttpJob {
  kind: 'http';
  url: string;
  requests: HttpRequest[];
  expect: number;
}

/** A prepared statement; `rows` makes its values, by name (statements.ts), from `args`. */
export interface SqlJob {
  kind: 'sql';
  url: string;
  statement: string;
  args: unknown;
}

/** Whole sign-ins at an app, by customers that the worker claims offers for when it is first asked. */
export interface SignInJob {
  kind: 'sign-in';
  url: string;
  org: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  /** `Authorization` that may make offers. */
  offering: string;
}

export type Job = HttpJob | SqlJob | SignInJob;

export interface Load {
  concurrency: number;
  seconds: number;
}

/** What a worker tells of one load. Latencies in ms. */
export interface Result {
  requests: number;
  /** Answers that were not the expected ones. */
  failures: number;
  seconds: number;
  p50: number;
  p99: number;
  /** CPU time of the worker itself, in µs. */
  ownCpu: number;
}
