import type { AuditEvent } from '@holdfast/contracts';
import { textOf } from '@holdfast/tlog/platform';

/** The members of a leaf that the verifier compares with the other fields of its entry. */
export interface LeafFacts {
  id: string;
  occurredAt: string;
  action: string;
  actor: string;
  outcome: string;
  /** Ids, in order and with duplicates. */
  targets: string[];
  /** Hashes of personal values. */
  personal: Record<string, string>;
  /** Pseudonym of the data subject of these values, when the leaf contains it. */
  person?: string | undefined;
  changes?: unknown;
}

/**
 * A leaf as audit writes it: members in this order, and none that is needed after the outcome. The pattern costs a
 * fifth of JSON.parse, and logs have millions of entries. Leaves of another form are parsed.
 */
const usualForm = new RegExp(
  [
    /^\{"id":"([^"\\]*)","occurredAt":"([^"\\]*)","action":"([^"\\]*)",/,
    /"actor":\{"type":"[a-z]*","id":"([^"\\]*)"(?:,"name":"(?:[^"\\]|\\.)*")?\},/,
    /"targets":\[((?:\{"type":"[a-z_]*","id":"[^"\\]*"\},?)*)\],"outcome":\{"result":"([a-z]*)"/,
  ]
    .map(({ source }) => source)
    .join(''),
);
/** Members that may follow anywhere. Searching for a string is cheaper than matching a pattern. */
const otherMembers = ['"personal":', '"changes":', '"erased":'];

/** @throws Error when the bytes are not an audit record */
export function leafFacts(bytes: Uint8Array): LeafFacts {
  const text = textOf(bytes);
  const match = usualForm.exec(text);
  if (!match || otherMembers.some((member) => text.includes(member))) return parsed(text);
  const [, id = '', occurredAt = '', action = '', actor = '', targets = '', outcome = ''] = match;
  return { id, occurredAt, action, actor, outcome, targets: idsOf(targets), personal: {} };
}

/** The targets in that form: no string contains a quote, so only a member name can precede a colon. */
function idsOf(targets: string): string[] {
  const ids: string[] = [];
  for (let at = targets.indexOf('"id":"'); at !== -1; at = targets.indexOf('"id":"', at)) {
    const start = at + '"id":"'.length;
    at = targets.indexOf('"', start);
    ids.push(targets.slice(start, at));
  }
  return ids;
}

function parsed(text: string): LeafFacts {
  const { id, occurredAt, action, actor, outcome, targets, personal, changes } = JSON.parse(text) as AuditEvent & {
    personal?: Record<string, string>;
  };
  return {
    id,
    occurredAt,
    action,
    actor: actor.id,
    outcome: outcome.result,
    targets: targets.map((target) => target.id),
    personal: personal ?? {},
    person: personal && personOf(actor, targets),
    changes,
  };
}

const ofCustomers = new Set(['customer', 'person']);
/** What belongs to a customer or person. */
const owned = new Set(['offer', 'credential', 'passkey', 'assignment', 'access_request']);

const pseudonymForm = /^[\w-]{22}$/;

/** The actor, or else the first target: audit chooses the personal data key of a record by the same rule. */
function personOf(actor: AuditEvent['actor'], targets: AuditEvent['targets']): string | undefined {
  if (actor.type === 'customer' || actor.type === 'person') return actor.id;
  // The assignment of a group belongs to nobody, and its id is no pseudonym.
  return targets.find(
    ({ type, id }) => ofCustomers.has(type) || (owned.has(type) && (type !== 'assignment' || pseudonymForm.test(id))),
  )?.id;
}

/** The pseudonyms in a leaf. */
export interface UnmappedPseudonyms {
  /** Of customers and persons. */
  customers: string[];
  /** Of their offers, credentials, passkeys, assignments and access requests. */
  others: string[];
  /** Those that never had a mapping: the record was appended after the erasure. */
  late: readonly string[];
}

/** Costs more than leafFacts(), so it is used only for leaves with a pseudonym that has no mapping. */
export function pseudonymsIn(bytes: Uint8Array): UnmappedPseudonyms {
  const {
    actor,
    targets,
    erased = [],
  } = JSON.parse(textOf(bytes)) as Pick<AuditEvent, 'actor' | 'targets'> & { erased?: string[] };
  const of = (types: Set<string>) =>
    [actor, ...targets].filter(({ type, id }) => types.has(type) && pseudonymForm.test(id)).map(({ id }) => id);
  return { customers: of(ofCustomers), others: of(owned), late: erased };
}
