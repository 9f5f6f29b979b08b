import { verifyGiven, type Given, type Outcome } from './verification.ts';

export interface Task {
  file: File;
  given: Given;
}

export type Report = { percent: number } | { outcome: Outcome };

/** The part of DedicatedWorkerGlobalScope that is used: the types of pages and of workers exclude each other. */
interface WorkerScope {
  onmessage: (event: MessageEvent<Task>) => void;
  postMessage: (report: Report) => void;
}

/** Verifies one file, off the thread of the page, which stays responsive. */
export function serveTask(scope: WorkerScope): void {
  scope.onmessage = ({ data: { file, given } }) => {
    void verifyGiven(file, given, (percent) => scope.postMessage({ percent })).then(
      (outcome) => scope.postMessage({ outcome }),
      // Like an uncaught error, it reaches the page as an event of the worker.
      (error: unknown) => reportError(error),
    );
  };
}
