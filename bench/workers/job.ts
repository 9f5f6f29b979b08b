/** A request that is sent repeatedly. */
export interface HttpRequest {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Requests over HTTP, in turn. `expect` is the expected status. */
export interface HttpJob {
  kind: 'http';
  url: string;
  requests: HttpRequest[];
  expect: number;
}

/** A prepared statement by its name in statements.ts, with the arguments of its values. */
export interface SqlJob {
  kind: 'sql';
  url: string;
  statement: string;
  args: unknown;
}

/**
 * Whole sign-ins at an app. With the first job the worker creates the customers and claims their offers, or accepts the
 * invitations of people.
 */
export interface SignInJob {
  kind: 'sign-in';
  url: string;
  org: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  scope: string;
  /** `Authorization` header with the scope for offers, for customers. */
  offering?: string;
  /** What is after the # of invitation links, for people: one for each concurrent sign-in. */
  invitations?: string[];
}

export type Job = HttpJob | SqlJob | SignInJob;

export interface Load {
  concurrency: number;
  seconds: number;
}

/** The result of one load. Latencies are in ms. */
export interface Result {
  requests: number;
  /** Unexpected responses. */
  failures: number;
  seconds: number;
  p50: number;
  p99: number;
  /** CPU time of the worker itself, in µs. */
  ownCpu: number;
}
