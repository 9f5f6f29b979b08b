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
  /** Kept ones, which limit how many requests are in progress. */
  connections: number;
  phases: Phase[];
}

/** Requests that were due in the same part of a phase. */
export interface Slice {
  /** Of its first millisecond, since the phase began. */
  atMs: number;
  good: number;
  rejected: number;
  failed: number;
  unsent: number;
  /** Of good responses, in ms. */
  p50: number;
  p99: number;
}

export interface PhaseResult {
  name: string;
  seconds: number;
  /** Requests that callers wanted to send. */
  due: number;
  /** Those of them for which no connection became free in time: the caller knows at once, and the stack nothing. */
  unsent: number;
  good: number;
  /** Responses with 429 or 503, and Retry-After. */
  rejected: number;
  /** All others by reason: other responses, closed connections, and no response in time. */
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
