import { FormatError } from '@holdfast/tlog';
import { textOfUtf8 } from '@holdfast/tlog/platform';
import { isObject } from './exported-log.js';
import { parseUnambiguous } from './unambiguous-json.js';

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
  /** Of a record of an erasure: the pseudonyms of the customers and people it names. */
  erases?: string[];
}

/** Their records name a customer or person whose mapping was deleted, when they succeeded. */
const erasing = new Set(['subject.erase', 'user.remove']);

/**
 * A leaf as audit writes it, from its first character to its last: each member once, in this order, and none of those
 * that need more than a comparison. The pattern costs a fifth of JSON.parse, and logs have millions of entries. Leaves
 * of another form are parsed.
 */
const usualForm = new RegExp(
  [
    /^\{"id":"(TEXT)","occurredAt":"(TEXT)","action":"(TEXT)",/,
    /"actor":\{"type":"[a-z]*","id":"(TEXT)"(?:,"name":"TEXT")?\},/,
    /"targets":\[((?:\{"type":"[a-z_]*","id":"TEXT"\}(?:,(?=\{)|(?=\])))*)\],/,
    /"outcome":\{"result":"([a-z]*)"(?:,"status":\d{3})?(?:,"code":"[a-z_]*")?(?:,"count":[1-9]\d{0,8})?\},/,
    /"request":\{"id":"TEXT","traceparent":"TEXT","method":"TEXT","route":"TEXT"\}\}$/,
  ]
    .map(({ source }) => source.replaceAll('TEXT', String.raw`[^"\\\u0000-\u001f]*`))
    .join(''),
);

/** @throws FormatError when the bytes are not an audit record */
export function leafFacts(bytes: Uint8Array): LeafFacts {
  const text = leafText(bytes);
  const match = usualForm.exec(text);
  const [, id = '', occurredAt = '', action = '', actor = '', targets = '', outcome = ''] = match ?? [];
  if (!match || erasing.has(action)) return parsed(text);
  return { id, occurredAt, action, actor, outcome, targets: idsOf(targets), personal: {} };
}

function leafText(bytes: Uint8Array): string {
  const text = textOfUtf8(bytes);
  if (text === undefined) throw new FormatError('its bytes are not UTF-8');
  return text;
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

/** An actor or target. */
interface Ref {
  type: string;
  id: string;
}

/** The members that are needed; a leaf may have others, which its hash proves. */
interface Leaf {
  id: string;
  occurredAt: string;
  action: string;
  actor: Ref;
  targets: Ref[];
  outcome: { result: string };
  personal?: Record<string, string>;
  erased?: string[];
  changes?: unknown;
}

const isText = (value: unknown) => typeof value === 'string';
const isRef = (value: unknown) => isObject(value) && isText(value.type) && isText(value.id);

function isLeaf(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { actor, targets, outcome, personal = {}, erased = [] } = value;
  return (
    [value.id, value.occurredAt, value.action].every(isText) &&
    isRef(actor) &&
    Array.isArray(targets) &&
    targets.every(isRef) &&
    isObject(outcome) &&
    isText(outcome.result) &&
    isObject(personal) &&
    Object.values(personal).every(isText) &&
    Array.isArray(erased) &&
    erased.every(isText)
  );
}

function leafOf(text: string): Leaf {
  const value = parseUnambiguous(text);
  if (!isLeaf(value)) throw new FormatError('its bytes are not an audit record');
  return value as Leaf;
}

function parsed(text: string): LeafFacts {
  const { id, occurredAt, action, actor, outcome, targets, personal, changes } = leafOf(text);
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
    ...(erasing.has(action) &&
      outcome.result === 'success' && { erases: targets.filter(isCustomer).map((target) => target.id) }),
  };
}

const ofCustomers = new Set(['customer', 'person']);
/** What belongs to a customer or person. */
const owned = new Set(['offer', 'credential', 'passkey', 'assignment', 'access_request']);

const pseudonymForm = /^[\w-]{22}$/;

/** Other ids of these types are no pseudonyms: audit did not know to whom they belong, or they belong to nobody. */
const isCustomer = ({ type, id }: Ref) => ofCustomers.has(type) && pseudonymForm.test(id);
const isOwned = ({ type, id }: Ref) => owned.has(type) && pseudonymForm.test(id);

/** The actor, or else the first target: audit chooses the personal data key of a record by the same rule. */
function personOf(actor: Ref, targets: Ref[]): string | undefined {
  return ofCustomers.has(actor.type) ? actor.id : targets.find((ref) => isCustomer(ref) || isOwned(ref))?.id;
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
  const { actor, targets, erased = [] } = leafOf(leafText(bytes));
  const of = (isOne: (ref: Ref) => boolean) => [actor, ...targets].filter(isOne).map(({ id }) => id);
  return { customers: of(isCustomer), others: of(isOwned), late: erased };
}
