import type { HttpRequest } from './job.ts';

export interface Phase {
  name: string;
  seconds: number;
  /** Requests per second, sent without waiting for responses. */
  rate?: number;
  /** Without a rate: concurrent requests, without a pause between them. */
  concurrency?: number;
}

export interface OpenLoop {
  url: string;
  requests: HttpRequest[];
  expect: number;
  phases: Phase[];
}

/** Requests that were due in the same part of a phase. */
export interface Slice {
  /** Of its first millisecond, since the phase began. */
  atMs: number;
  good: number;
  rejected: number;
  failed: number;
  /** Of good responses, in ms. */
  p50: number;
  p99: number;
}

export interface PhaseResult {
  name: string;
  seconds: number;
  sent: number;
  good: number;
  /** Responses with 429 or 503, and Retry-After. */
  rejected: number;
  /** All others by reason: other responses, closed connections, and requests without a response in time. */
  failed: Record<string, number>;
  /** From the moment when the request was due, in ms. */
  p50: number;
  p99: number;
  rejectedP99: number;
  slices: Slice[];
  /** CPU time of this process, in µs. */
  ownCpu: number;
}

/** Length of a slice. */
export const sliceMs = 500;
