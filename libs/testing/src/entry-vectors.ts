import type { ExportedAuditEntry } from '@holdfast/contracts';
import type { CapturedLog } from './captured-log.js';
import { commitment, dropped, inBase64, newUuid } from './exported-log.js';
import type { ExportVector, VectorMaker } from './vector-maker.js';

interface Shown {
  value: string;
  salt: string;
}

/** Moves the first bytes of the value to the end of the salt: the bytes that are hashed stay the same. */
function shifted<S extends Shown>(shown: S, count: number): S {
  const value = Buffer.from(shown.value);
  const salt = Buffer.concat([Buffer.from(shown.salt, 'base64'), value.subarray(0, count)]);
  return { ...shown, salt: salt.toString('base64'), value: value.subarray(count).toString() };
}

/** Moves the last bytes of the salt to the beginning of the value. */
function shiftedBack<S extends Shown>(shown: S, count: number): S {
  const salt = Buffer.from(shown.salt, 'base64');
  const value = Buffer.concat([salt.subarray(-count), Buffer.from(shown.value)]);
  return { ...shown, salt: salt.subarray(0, -count).toString('base64'), value: value.toString('latin1') };
}

const isOf =
  (action: string, outcome = 'success') =>
  ({ found }: ExportedAuditEntry) =>
    found?.action === action && found.outcome === outcome;
const hasName = (pseudonym: string | undefined, { names = [] }: ExportedAuditEntry) =>
  names.some((name) => name.pseudonym === pseudonym);

/** Entries of the captured log that vectors change. */
function entriesOf(log: CapturedLog) {
  const plain = log.find('list of events', (e) => isOf('audit.list')(e) && !e.names && !e.personal);
  const signIn = log.find(
    'sign-in of a customer who is known',
    (e) => isOf('customer.sign_in')(e) && hasName(e.found?.actor, e) && e.personal?.address !== undefined,
  );
  const claim = log.find(
    'claim that names the customer twice',
    (e) =>
      isOf('credential.claim')(e) &&
      new Set(e.names?.map(({ pseudonym }) => pseudonym)).size < (e.names?.length ?? 0) &&
      hasName(e.found?.actor, e),
  );
  const suspended = log.find('suspension with a reason', (e) => e.personal?.reason !== undefined);
  const late = log.find('record from after an erasure', (e) => e.leaf !== undefined && 'erased' in log.leafOf(e));
  const erasure = log.find('erasure', isOf('subject.erase'));
  const removal = log.find('removal of a person', isOf('user.remove'));
  const drops = log.entries.filter(isOf('audit.drop'));
  return { plain, signIn, claim, suspended, late, erasure, removal, drops };
}

/** Entries, and what is exported beside their bytes. */
export function entryVectors(make: VectorMaker): ExportVector[] {
  const { log } = make;
  const { plain, signIn, claim, suspended, late, erasure, removal, drops } = entriesOf(log);
  const { seq } = plain;
  const [readsDrop] = drops as [ExportedAuditEntry];
  const [address, reason] = [signIn.personal!.address!, suspended.personal!.reason!];
  const denied = (entry: ExportedAuditEntry) =>
    log.withLeaf(entry, { ...log.leafOf(entry), outcome: { result: 'denied', status: 403 } }, { outcome: 'denied' });
  const other = denied(plain);
  const changedBytes = `Entry ${seq} was changed: its bytes do not match its hash in the tree.`;
  const rewritten = (from: number) =>
    `Entries ${from} to ${log.size} are not the ones that the newest checkpoint covers`;
  const withName = (entry: ExportedAuditEntry, at: number, change: (name: Shown & { pseudonym: string }) => Shown) =>
    log.changed(entry.seq, { names: entry.names!.with(at, { ...entry.names![at]!, ...change(entry.names![at]!) }) });
  const withValue = (entry: ExportedAuditEntry, field: string, shown: object) =>
    log.changed(entry.seq, { personal: { ...entry.personal, [field]: shown } });
  const failed = (entry: ExportedAuditEntry) =>
    log.withLeaf(entry, { ...log.leafOf(entry), outcome: { result: 'failure', status: 503 } }, { outcome: 'failure' });
  const own = commitment(Buffer.alloc(16, 7), newUuid());
  const chosen = withRequestId(log, plain, 'order-4711');
  const next = log.entry(seq + 1);
  const shows = (entry: ExportedAuditEntry, field: string) =>
    `Entry ${entry.seq} shows another ${field} than was logged: it does not match the logged hash.`;
  const unsalted = (entry: ExportedAuditEntry) => `Entry ${entry.seq} has a mapping for the pseudonym`;
  return [
    make.refuted('a changed entry', changedBytes, [log.changed(seq, { leaf: other.leaf, found: other.found })]),
    make.refuted('a changed entry with its hash', rewritten(1), [log.changed(seq, other)]),
    make.refuted(
      'a changed entry with its hash, after a kept checkpoint',
      rewritten(257),
      [log.changed(260, denied(log.entry(260)))],
      {
        keys: make.bothKeys,
        checkpoint: log.checkpoint(256),
      },
    ),
    make.refuted('an entry removed', 'Entry 200 is missing: 199 is followed by 201.', [{ line: 201, remove: true }]),
    make.refuted('an entry twice', 'Entry 200 exists twice', [{ line: 201, insertAfter: log.lines[200]! }]),
    make.refuted(
      'two entries exchanged',
      `Entry ${seq} is at the wrong index: its content was logged as entry ${seq + 1}.`,
      [
        log.changed(seq, { ...next, seq, leafHash: plain.leafHash }),
        log.changed(seq + 1, { ...plain, seq: seq + 1, leafHash: next.leafHash }),
      ],
    ),
    make.refuted(
      'an entry in the place of another one, signed',
      'Entry 270 has the id of an earlier entry',
      log.signed({ ...plain, seq: 270 }),
      make.bySigner,
    ),
    make.refuted('another action in the columns', `Entry ${seq} has a wrong action column: it says "event.read"`, [
      log.changed(seq, { found: { ...plain.found!, action: 'event.read' } }),
    ]),
    make.refuted('without its columns', `Entry ${seq} has no columns`, [log.changed(seq, { found: undefined })]),
    make.verified('targets of the columns in another order', [
      log.changed(claim.seq, { found: { ...claim.found!, targets: claim.found!.targets.toReversed() } }),
    ]),

    make.refuted('bytes moved from an address to its salt', shows(signIn, 'address'), [
      withValue(signIn, 'address', shifted(address, 1)),
    ]),
    make.refuted('bytes moved from a reason to its salt', shows(suspended, 'reason'), [
      withValue(suspended, 'reason', shifted(reason, reason.value.indexOf('fraud'))),
    ]),
    make.refuted('bytes moved from a salt to a reason', shows(suspended, 'reason'), [
      withValue(suspended, 'reason', shiftedBack(reason, 1)),
    ]),
    make.refuted('a whole reason moved to its salt', shows(suspended, 'reason'), [
      withValue(suspended, 'reason', shifted(reason, Buffer.byteLength(reason.value))),
    ]),
    make.refuted('bytes moved from an id to its salt', unsalted(signIn), [
      withName(signIn, 0, (name) => shifted(name, 4)),
    ]),
    make.refuted('bytes moved from a salt to an id', unsalted(signIn), [
      withName(signIn, 0, (name) => shiftedBack(name, 4)),
    ]),
    make.refuted('a mapping to what is no UUID, signed', unsalted(plain), mapped(make, plain, 'an id'), make.bySigner),
    make.refuted('another address', shows(signIn, 'address'), [
      withValue(signIn, 'address', { ...address, value: '2001:db8::8' }),
    ]),
    make.refuted('an address with a lone surrogate', shows(signIn, 'address'), [
      withValue(signIn, 'address', { ...address, value: `${address.value}\ud800` }),
    ]),
    make.refuted('an address of another entry', shows(signIn, 'userAgent'), [withValue(signIn, 'userAgent', address)]),
    make.refuted('another customer in a mapping', `Entry ${signIn.seq} names somebody other than was logged`, [
      withName(signIn, 0, (name) => ({ ...name, value: newUuid() })),
    ]),
    make.refuted(
      'another customer in the second of two equal mappings',
      `Entry ${claim.seq} names somebody other than was logged`,
      [withName(claim, lastOfTwo(claim), (name) => ({ ...name, value: newUuid() }))],
    ),
    make.verified('each mapping once, and an empty list instead of none', [
      log.changed(claim.seq, {
        names: claim.names!.filter((n, i, all) => all.findIndex((m) => m.pseudonym === n.pseudonym) === i),
      }),
      log.changed(seq, { names: [], personal: {} }),
    ]),
    make.refuted('a mapping that nothing in the entry has', `Entry ${seq} has a mapping for the pseudonym`, [
      log.changed(seq, {
        names: [{ pseudonym: own.subarray(0, 16).toString('base64url'), ...inBase64(newUuid(), Buffer.alloc(16, 7)) }],
      }),
    ]),
    make.refuted(
      'a mapping whose salt was removed, as from before salts',
      `Entry ${signIn.seq} has a pseudonym mapping without a salt`,
      [log.changed(signIn.seq, { names: [{ ...signIn.names![0]!, salt: '' }, ...signIn.names!.slice(1)] })],
    ),
    make.refuted('mappings and values removed, as if erased', `Entry ${signIn.seq} has a pseudonym without a mapping`, [
      log.changed(signIn.seq, { names: undefined, personal: undefined }),
    ]),
    make.refuted('an address withheld, although the customer is known', `Entry ${signIn.seq} withholds an address`, [
      log.changed(signIn.seq, { personal: { ...signIn.personal, address: undefined } }),
    ]),
    make.verified('an id that the caller of a request chose, who names nobody', log.signed(chosen), make.bySigner),
    make.refuted(
      'another id than the caller of a request chose, who names nobody',
      shows(plain, 'requestId'),
      log.signed({ ...chosen, personal: { requestId: { ...chosen.personal.requestId, value: 'x' } } }),
      make.bySigner,
    ),
    make.verified(
      'an id withheld that the caller of a request chose, who names nobody',
      log.signed({ ...chosen, personal: undefined }),
      make.bySigner,
    ),
    make.refuted('an erasure that failed', 'Entry ', log.signed(failed(erasure)), make.bySigner),
    make.refuted('a removal of a person that failed', 'Entry ', log.signed(failed(removal)), make.bySigner),
    make.refuted(
      'a record from after an erasure whose bytes do not say so',
      `Entry ${late.seq} has a pseudonym without a mapping`,
      log.signed(log.withLeaf(late, { ...log.leafOf(late), erased: undefined })),
      make.bySigner,
    ),

    make.refuted('bytes removed without a record', '1 entry of class reads and month', [
      log.replaced(seq, JSON.stringify(dropped(plain))),
    ]),
    make.refuted('a dropped entry with the class of another one', '', [
      log.changed(log.find('dropped read', (e) => !e.leaf && e.class === 'reads').seq, { class: 'changes' }),
    ]),
    make.refuted('a drop that failed', '', log.signed(failed(readsDrop)), make.bySigner),
  ];
}

/** An entry whose actor is a pseudonym of an id of another form, as nobody but its own log could write it. */
function mapped({ log }: VectorMaker, entry: ExportedAuditEntry, id: string) {
  const salt = Buffer.alloc(16, 9);
  const pseudonym = commitment(salt, id).subarray(0, 16).toString('base64url');
  const leaf = { ...log.leafOf(entry), actor: { type: 'customer', id: pseudonym } };
  return log.signed({
    ...log.withLeaf(entry, leaf, { actor: pseudonym }),
    names: [{ pseudonym, ...inBase64(id, salt) }],
  });
}

const lastOfTwo = ({ names = [] }: ExportedAuditEntry) =>
  names.findIndex(({ pseudonym }, i) => names.slice(0, i).some((name) => name.pseudonym === pseudonym));

/** The request of an app with an id that it chose. */
function withRequestId(log: CapturedLog, entry: ExportedAuditEntry, id: string) {
  const salt = Buffer.alloc(16, 11);
  const requestId = commitment(salt, id).toString('base64url');
  const leaf = { ...log.leafOf(entry), personal: { requestId } };
  return { ...log.withLeaf(entry, leaf), personal: { requestId: inBase64(id, salt) } };
}
