/** Ends a command: its message is printed, without a stack trace. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}

/** Ends a command with exit code 1 that has printed what it found, and therefore has no message. */
export class FailedCheckError extends CommandError {
  constructor() {
    super('');
  }
}

/** A command uses the stack whose folder HOLDFAST_HOME names. Often another one is running. */
export const startHint =
  'Is Holdfast running? Start it with `npm start`. If its HOLDFAST_HOME is another folder, set that for this ' +
  'command too.';

/** The same command may succeed when it is repeated. */
export class TransientCommandError extends CommandError {
  constructor(
    message: string,
    readonly retryAfterMs = 0,
  ) {
    super(message);
  }
}
