/** Name of the unique constraint or index that an insert ran into, or undefined for any other error. */
export function violatedUnique(error: unknown): string | undefined {
  const { code, constraint } = (error ?? {}) as { code?: string; constraint?: string };
  return code === '23505' ? (constraint ?? '') : undefined;
}

/** Of a standby, or of a primary that is being given up. */
const readOnly = '25006';

/** Classes 08 (connection), 53 (resources: disk, memory, connections), 57 (operator: shutdown, timeout); read-only. */
export function isDatabaseAway(error: unknown): boolean {
  const { code = '' } = (error ?? {}) as { code?: string };
  if (code === readOnly || /^(08|53|57)...$/.test(code) || /^E(CONN|PIPE|TIMEDOUT|HOSTUNREACH|AI_)/.test(code)) return true;
  return /Connection terminated|not currently accepting connections|timeout exceeded when trying to connect|Client has encountered a connection error/.test(
    error instanceof Error ? error.message : '',
  );
}
