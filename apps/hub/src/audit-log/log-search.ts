/** What the screen of the audit log shows, in the address: a link shows a colleague the same. */
export interface LogSearch {
  action?: string;
  actor?: string;
  target?: string;
  /** The open entry. */
  entry?: string;
}

const members = ['action', 'actor', 'target', 'entry'] as const;

/** Only what is known, and not empty. */
export function logSearchOf(search: Record<string, unknown>): LogSearch {
  return Object.fromEntries(
    members.flatMap((name) => (typeof search[name] === 'string' && search[name] ? [[name, search[name]]] : [])),
  );
}
