import type { Schemas } from '@holdfast/api-client';

const filterNames = ['action', 'actor', 'target', 'outcome'] as const;
export type FilterName = (typeof filterNames)[number];
/** Which entries are shown. */
export type LogFilter = Partial<Record<FilterName, string>>;

export const outcomes = [
  'success',
  'denied',
  'failure',
] as const satisfies Schemas['AuditEvent']['outcome']['result'][];

/** What the screen of the audit log shows, in the address: a link shows a colleague the same. */
export interface LogSearch extends LogFilter {
  /** The open entry. */
  entry?: string;
}

const members = [...filterNames, 'entry'] as const;

/** As query parameters of the API have them. */
export function filterOf(search: LogSearch): LogFilter {
  return Object.fromEntries(filterNames.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])));
}

/** Only what is known, and not empty. */
export function logSearchOf(search: Record<string, unknown>): LogSearch {
  return Object.fromEntries(
    members.flatMap((name) => (typeof search[name] === 'string' && search[name] ? [[name, search[name]]] : [])),
  );
}
