import type { AuditBroken, ExportedAuditEntry } from '@holdfast/contracts';
import { CompactRange, FormatError, openCheckpoint, type Checkpoint, type VerifierKey } from '@holdfast/tlog';
import { CommandError } from '../../command-error.js';
import type { LogEnd } from '../read/exported-log.js';
import { Drops } from './drops.js';
import { checkEntry } from './entry-check.js';
import { Erasures } from './erasures.js';
import { Findings } from './findings.js';
import type { LeafFacts } from './leaf-facts.js';
import { ListBounds } from './list-bounds.js';
import { plural } from './plural.js';
import { SeenIds } from './seen-ids.js';

/** A checkpoint that somebody kept. */
export interface KeptCheckpoint {
  /** What to call it in a sentence: its file. */
  name: string;
  checkpoint: Checkpoint;
}

export interface Verdict {
  verified: boolean;
  /** What is wrong and where, one sentence each, the first place first. */
  findings: string[];
  /** How many more there are than are listed. */
  more: number;
  origin: string;
  entries: number;
  /** Of which only the hash is left. */
  dropped: number;
  /**
   * Names that could not be checked, since their pseudonyms have no salt, and entries whose personal values are
   * withheld.
   */
  unprovable: number;
  /** Nothing speaks against it but that: a log from before something could be proven is like that. */
  onlyUnprovable: boolean;
  /** What this log or export does not hold, so that it was not looked at: sentences. */
  notes: string[];
  /** Names of the checkpoints that this log continues. */
  continues: string[];
}

export interface VerifierOptions {
  /** Takes as they are names and personal values of which nothing tells whether they are right. */
  allowUnprovable?: boolean;
}

/** How often something was seen, and where first. */
class Tally {
  count = 0;
  first = 0;

  add(seq: number, times: number): void {
    if (times > 0) this.first ||= seq;
    this.count += times;
  }
}

/**
 * Goes through a log from its first entry to its end and believes nothing but `keys`: every leaf has the hash that
 * stands in the tree, the tree has the root that a pinned key signed, earlier checkpoints are roots of the same tree on
 * its way, and all that is shown beside a leaf follows from the leaf.
 */
export class LogVerifier {
  private readonly findings = new Findings();
  private readonly tree = CompactRange.empty();
  private readonly ids = new SeenIds();
  private readonly kept: KeptCheckpoint[];
  private readonly continues: string[] = [];
  /** Place of the last entry. */
  private last = 0;
  /** A place was missing or taken twice: from there on no root can be computed. */
  private broken = false;
  /** Size up to which the log is known to be as it was signed. */
  private good = 0;
  private readonly drops = new Drops();
  /** How many entries the log had when its reading began, when it was read on behind them. */
  private began: number | undefined;
  private readonly bounds = new ListBounds(this.findings);
  private readonly erasures = new Erasures();
  private counts = { entries: 0, dropped: 0 };
  private readonly unsalted = new Tally();
  private readonly closed = new Tally();
  /** Names that do not open, from before leaves said which of them never did. */
  private readonly late = new Tally();

  constructor(
    private readonly keys: readonly VerifierKey[],
    kept: readonly KeptCheckpoint[] = [],
    private readonly options: VerifierOptions = {},
  ) {
    this.kept = kept.toSorted((a, b) => a.checkpoint.size - b.checkpoint.size);
    this.compareKept();
  }

  add(entry: ExportedAuditEntry): void {
    const { seq } = entry;
    if (!this.acceptSeq(seq)) return;
    this.counts.entries++;
    try {
      const treeHash = Buffer.from(entry.leafHash, 'base64');
      const checked = checkEntry(entry, treeHash);
      for (const fault of checked.problems) this.findings.at(seq, fault);
      if (checked.hash === undefined) this.counts.dropped++;
      else if (checked.problems.length > 0) this.findings.moved(seq, checked.hash, treeHash);
      this.drops.add(entry);
      this.bounds.add(entry, checked.record?.occurredAt);
      if (checked.record) this.addRecord(seq, checked.record);
      if (checked.unmapped) this.erasures.add(seq, checked.unmapped, checked.customerOpens);
      this.unsalted.add(seq, checked.unprovable);
      this.closed.add(seq, checked.closed ? 1 : 0);
      if (!this.broken) this.tree.append(treeHash);
    } catch (error) {
      this.broken = true;
      this.findings.at(seq, `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (this.kept.length > 0) this.compareKept();
  }

  private addRecord(seq: number, record: LeafFacts): void {
    if (!this.ids.add(record.id)) this.findings.at(seq, 'has the id of an earlier entry: one of the two was put in');
    if (record.action === 'subject.erase' && record.outcome === 'success') this.erasures.record(seq, record.targets);
    this.drops.record(seq, record);
  }

  /**
   * Whether entries are gone that may have been dropped since the reading began: the record of that stands behind what
   * was read.
   */
  get awaitsDropRecord(): boolean {
    return this.drops.awaitsRecord;
  }

  /** All that `note` covers was read, and now comes what stands behind it. */
  continueFrom(note: string): void {
    const checkpoint = this.openNewest(note);
    this.began ??= checkpoint?.size ?? this.last;
    if (checkpoint) this.compare(checkpoint, 'the checkpoint that the reading began with');
  }

  /** Something stands where an entry should. */
  unreadable(line: number): void {
    this.broken = true;
    this.findings.add(this.last + 1, `Line ${line} is damaged: it is not an entry.`);
  }

  /** The end of a file, which says itself what it should have held. */
  endOfFile(said: LogEnd | undefined): Verdict {
    if (typeof said?.checkpoint !== 'string')
      this.findings.add(
        this.last + 1,
        `The file ends behind entry ${this.last} without its last line: it was cut off.`,
      );
    else if (said.count !== this.counts.entries || said.lastSeq !== this.last) {
      this.findings.add(
        this.last + 1,
        `The file has ${plural(this.counts.entries, 'entry', 'entries')} up to ${this.last}, and its last line says ${said.count} up to ${said.lastSeq}.`,
      );
    }
    return this.end(said?.checkpoint, said);
  }

  /**
   * The end, with what came with the log beside its entries: the checkpoint, undefined when there was none; by how much
   * entries may come late; and whether the log can be signed at all.
   * @throws CommandError when nothing is wrong as far as can be seen, and what is gone may be more than was dropped
   */
  end(
    note: string | undefined,
    { lateMs, broken, began = this.began }: Pick<LogEnd, 'lateMs' | 'broken' | 'began'> = {},
  ): Verdict {
    const newest = typeof note === 'string' && !(broken && note === '') ? this.openNewest(note) : undefined;
    if (newest) this.compare(newest, 'the newest checkpoint');
    for (const { name, checkpoint } of this.kept) this.missing(checkpoint.size, `the checkpoint ${name}`);
    const { counted, meanwhile } = this.drops.report(this.findings, began);
    this.bounds.end(lateMs);
    for (const seq of this.erasures.report(this.findings)) this.late.add(seq, 1);
    if (broken) this.refuseBroken(broken, note);
    const proven = this.findings.none;
    if (this.options.allowUnprovable !== true) this.refuseUnprovable();
    const { sentences, more } = this.findings.list();
    const { unplaced } = this.drops;
    if (sentences.length === 0 && unplaced.length > 0) {
      throw new CommandError(
        `${plural(unplaced.length, 'entry comes', 'entries come')} without bytes, the first at place ${unplaced[0]!}, and this export is from before exports said in which class and month an entry lay: whether these were dropped or taken away cannot be told. Export the log again.`,
      );
    }
    return {
      verified: sentences.length === 0,
      findings: sentences,
      more,
      origin: this.keys[0]?.name ?? '',
      ...this.counts,
      unprovable: this.unsalted.count + this.closed.count + this.late.count,
      onlyUnprovable: sentences.length > 0 && proven,
      notes: [...meanwhile, ...this.notes(counted)],
      continues: this.continues,
    };
  }

  /** It may be as it was signed, up to there. What comes behind it is signed by nobody and can be changed unseen. */
  private refuseBroken({ detail, since, unsigned }: AuditBroken, note: string | undefined): void {
    const behind =
      unsigned > 0
        ? ` ${plural(unsigned, 'entry stands', 'entries stand')} behind ${note === '' ? 'it' : 'the newest checkpoint'}: nobody has signed ${unsigned === 1 ? 'it' : 'them'}.`
        : '';
    this.findings.add(this.last + 1, `The log cannot be signed any more since ${since}, because ${detail}.${behind}`);
  }

  /** What looks like something harmless, and could as well be the work of somebody who wanted it to look like that. */
  private refuseUnprovable(): void {
    const { unsalted, closed, late } = this;
    if (unsalted.count > 0) {
      this.findings.add(
        unsalted.first,
        `Entry ${unsalted.first} ${unsalted.count > 1 ? `is the first of ${unsalted.count} times that a name is shown` : 'shows a name'} for a pseudonym without salt, so that nobody can tell whether it is the name that was logged. Names from before pseudonyms had a salt are like that; in a log that has none of these, somebody took the salt away, to name somebody else. --allow-unprovable takes them as they are.`,
      );
    }
    if (closed.count > 0) {
      this.findings.add(
        closed.first,
        `Entry ${closed.first}${closed.count > 1 ? ` and ${plural(closed.count - 1, 'other', 'others')}` : ''} withholds an address, user agent or reason that was logged, as if that person were erased, but their name still opens: the values or their key were taken away, or KEY_ENCRYPTION_KEY was changed. --allow-unprovable takes it as it is.`,
      );
    }
    if (late.count > 0) {
      this.findings.add(
        late.first,
        `Entry ${late.first}${late.count > 1 ? ` and ${plural(late.count - 1, 'other', 'others')}` : ''} names somebody whose name does not open and whom no record of subject.erase names: it came after their erasure, before records said so, or the name was taken away. --allow-unprovable takes it as it is.`,
      );
    }
  }

  private notes(counted: number): string[] {
    return [
      ...(counted > 0
        ? [
            `Of ${plural(counted, 'entry that was', 'entries that were')} dropped the log records only class, month and number, since that was before it recorded places.`,
          ]
        : []),
      ...(this.bounds.absent && this.counts.entries > 0
        ? [
            'This export does not hold in which class and month entries lie, nor by what a span of time is found, since it is from before exports did: whether lists leave something out was not looked at.',
          ]
        : []),
    ];
  }

  /** Whether an entry stands where it must; says what is wrong if it does not. */
  private acceptSeq(seq: number): boolean {
    const expected = this.last + 1;
    if (seq !== expected) this.broken = true;
    if (!Number.isSafeInteger(seq) || seq < 1)
      this.findings.add(expected, `Behind entry ${this.last} stands something without a place.`);
    // Whichever of the two comes first: the one that was put in looks like an entry that was changed.
    else if (seq === this.last) this.findings.add(seq, `Entry ${seq} is there twice: one of the two was put in.`, 0);
    else if (seq < expected)
      this.findings.add(
        seq,
        `Entry ${seq} stands behind entry ${this.last}: the log was put into another order, or an entry was put in.`,
      );
    else if (seq > expected) {
      this.findings.add(
        expected,
        seq === expected + 1
          ? `Entry ${expected} is missing: behind ${this.last} comes ${seq}.`
          : `Entries ${expected} to ${seq - 1} are missing: behind ${this.last} comes ${seq}.`,
      );
    }
    if (seq <= this.last || !Number.isSafeInteger(seq)) return false;
    this.last = seq;
    return true;
  }

  /** Earlier checkpoints are passed on the way: there the root must be theirs. */
  private compareKept(): void {
    while (this.kept.length > 0 && this.kept[0]!.checkpoint.size <= this.tree.size) {
      const { name, checkpoint } = this.kept.shift()!;
      if (this.compare(checkpoint, `the checkpoint ${name}`)) this.continues.push(name);
    }
  }

  private compare({ size, root }: Checkpoint, name: string): boolean {
    if (this.broken || size !== this.tree.size) {
      this.missing(size, name);
      return false;
    }
    const same = this.tree.root().equals(root);
    if (same) this.good = size;
    else if (!this.rewritten) {
      this.rewritten = true;
      const after = this.good === 0 ? '' : ` Up to ${this.good} it is as it was signed.`;
      // By its end: an entry of which is known what is wrong comes first.
      this.findings.add(
        size,
        `${this.good + 1 === size ? `Entry ${size} is not the one` : `Entries ${this.good + 1} to ${size} are not those`} that ${name} was signed for: the log was rewritten there, its hashes with it.${after}`,
      );
    }
    return same;
  }

  /** Once is enough: every later root differs as well. */
  private rewritten = false;

  private missing(size: number, name: string): void {
    if (size > this.last) {
      const gone = size - this.last;
      this.findings.add(
        this.last + 1,
        `The log ends at ${this.last}, but ${name} covers ${size}: at least ${plural(gone, 'entry is', 'entries are')} gone.`,
      );
    } else if (size < this.last && name === 'the newest checkpoint') {
      this.findings.add(
        size + 1,
        `Entries ${size + 1} to ${this.last} stand behind the newest checkpoint, which covers ${size}: nobody has signed them.`,
      );
    }
  }

  private openNewest(note: string): Checkpoint | undefined {
    try {
      return openCheckpoint(note, this.keys);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.findings.add(
        this.last + 1,
        `The newest checkpoint proves nothing. ${error.message}. Either the pinned key is another log's, or this log is not the one that was pinned.`,
      );
      return undefined;
    }
  }
}
