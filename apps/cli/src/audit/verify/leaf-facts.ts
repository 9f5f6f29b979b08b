import type { AuditEvent } from '@holdfast/contracts';

/** What a leaf says, as far as something beside it can be compared with it. */
export interface LeafFacts {
  id: string;
  occurredAt: string;
  action: string;
  actor: string;
  outcome: string;
  /** Ids, as often as they stand in the leaf. */
  targets: string[];
  /** Hashes of personal values. */
  personal: Record<string, string>;
  /** The pseudonym of the person whose values these are, when it stands in the leaf. */
  person?: string | undefined;
  changes?: unknown;
}

/**
 * A leaf as audit writes it: members in this order, nothing behind the outcome that matters here. Reading this much
 * costs a fifth of JSON.parse, and a log is verified by the million; whatever has another form is parsed.
 */
const plain =
  /^\{"id":"([^"\\]*)","occurredAt":"([^"\\]*)","action":"([^"\\]*)","actor":\{"type":"[a-z]*","id":"([^"\\]*)"(?:,"name":"(?:[^"\\]|\\.)*")?\},"targets":\[((?:\{"type":"[a-z_]*","id":"[^"\\]*"\},?)*)\],"outcome":\{"result":"([a-z]*)"/;
/** These may stand anywhere behind it. Two searches for a text cost less than one for a pattern. */
const more = ['"personal":', '"changes":', '"erased":'];

/** @throws Error when the bytes are not a record */
export function leafFacts(bytes: Buffer): LeafFacts {
  const text = bytes.toString();
  const read = plain.exec(text);
  if (!read || more.some((member) => text.includes(member))) return parsed(text);
  const [, id = '', occurredAt = '', action = '', actor = '', targets = '', outcome = ''] = read;
  return { id, occurredAt, action, actor, outcome, targets: idsOf(targets), personal: {} };
}

/** Of targets in that form: only a member can stand before a colon, since no text in them has a quote. */
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

/**
 * Who acts, or else the first of those to whom it was done, as audit chooses whose key personal values are sealed with.
 */
function personOf(actor: AuditEvent['actor'], targets: AuditEvent['targets']): string | undefined {
  if (actor.type === 'customer' || actor.type === 'person') return actor.id;
  return targets.find(({ type }) => type === 'customer' || type === 'credential' || type === 'offer')?.id;
}

/** Pseudonyms in a leaf. */
export interface UnmappedPseudonyms {
  /** Of customers and persons. */
  customers: string[];
  /** Of their offers and credentials. */
  others: string[];
  /** Those that never opened, since the record came when they were erased already. */
  late: readonly string[];
}

const pseudonymForm = /^[\w-]{22}$/;
const ofCustomers = new Set(['customer', 'person']);
const theirs = new Set(['offer', 'credential']);

/**
 * By what they are of. Costs more than leafFacts(), so it is for leaves that name somebody who is not known any more.
 */
export function pseudonymsIn(bytes: Buffer): UnmappedPseudonyms {
  const {
    actor,
    targets,
    erased = [],
  } = JSON.parse(bytes.toString()) as Pick<AuditEvent, 'actor' | 'targets'> & { erased?: string[] };
  const of = (types: Set<string>) =>
    [actor, ...targets].filter(({ type, id }) => types.has(type) && pseudonymForm.test(id)).map(({ id }) => id);
  return { customers: of(ofCustomers), others: of(theirs), late: erased };
}
