import type { ExportedAuditEntry } from '@holdfast/contracts';
import { CompactRange, FormatError, openCheckpoint, type Checkpoint, type VerifierKey } from '@holdfast/tlog';
import { checkEntry } from './entry-check.js';
import type { LogEnd } from './exported-log.js';
import { Findings } from './findings.js';
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
  /** Names that could not be checked, since their pseudonyms are older than salts. */
  unprovable: number;
  /** Names of the checkpoints that this log continues. */
  continues: string[];
}

const plural = (n: number, one: string, many: string) => (n === 1 ? `1 ${one}` : `${n} ${many}`);

/**
 * Goes through a log from its first entry to its end and believes nothing but `keys`: every leaf has the hash that stands
 * in the tree, the tree has the root that a pinned key signed, earlier checkpoints are roots of the same tree on its way,
 * and all that is shown beside a leaf follows from the leaf.
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
  private counts = { entries: 0, dropped: 0, accountedFor: 0, firstDropped: 0, unprovable: 0 };

  constructor(
    private readonly keys: readonly VerifierKey[],
    kept: readonly KeptCheckpoint[] = [],
  ) {
    this.kept = kept.toSorted((a, b) => a.checkpoint.size - b.checkpoint.size);
    this.compareKept();
  }

  add(entry: ExportedAuditEntry): void {
    const { seq } = entry;
    if (!this.takePlace(seq)) return;
    this.counts.entries++;
    try {
      const treeHash = Buffer.from(entry.leafHash, 'base64');
      const checked = checkEntry(entry, treeHash);
      for (const fault of checked.faults) this.findings.at(seq, fault);
      if (checked.hash === undefined) this.drop(seq);
      else if (checked.faults.length > 0) this.findings.moved(seq, checked.hash, treeHash);
      if (checked.id !== undefined && !this.ids.add(checked.id)) this.findings.at(seq, 'has the id of an earlier entry: one of the two was put in');
      this.counts.accountedFor += checked.accountsFor;
      this.counts.unprovable += checked.unprovable;
      if (!this.broken) this.tree.append(treeHash);
    } catch (error) {
      this.broken = true;
      this.findings.at(seq, `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (this.kept.length > 0) this.compareKept();
  }

  /** Something stands where an entry should. */
  unreadable(line: number): void {
    this.broken = true;
    this.findings.add(this.last + 1, `Line ${line} is damaged: it is not an entry.`);
  }

  /** The end of a file, which says itself what it should have held. */
  endOfFile(said: LogEnd | undefined): Verdict {
    if (typeof said?.checkpoint !== 'string') this.findings.add(this.last + 1, `The file ends behind entry ${this.last} without its last line: it was cut off.`);
    else if (said.count !== this.counts.entries || said.lastSeq !== this.last) {
      this.findings.add(this.last + 1, `The file has ${plural(this.counts.entries, 'entry', 'entries')} up to ${this.last}, and its last line says ${said.count} up to ${said.lastSeq}.`);
    }
    return this.end(said?.checkpoint);
  }

  /** The end, with the checkpoint that came with the log; undefined when there was none. */
  end(note: string | undefined): Verdict {
    const newest = typeof note === 'string' ? this.openNewest(note) : undefined;
    if (newest) this.compare(newest, 'the newest checkpoint');
    for (const { name, checkpoint } of this.kept) this.missing(checkpoint.size, `the checkpoint ${name}`);
    const { entries, dropped, accountedFor, firstDropped, unprovable } = this.counts;
    if (dropped > accountedFor) {
      this.findings.add(firstDropped, `${plural(dropped, 'entry comes', 'entries come')} without bytes, the first at place ${firstDropped}, but the log records that ${accountedFor} were dropped: ${dropped - accountedFor} are gone without a record.`);
    }
    const { sentences, more } = this.findings.list();
    return { verified: sentences.length === 0, findings: sentences, more, origin: this.keys[0]?.name ?? '', entries, dropped, unprovable, continues: this.continues };
  }

  /** Whether an entry stands where it must; says what is wrong if it does not. */
  private takePlace(seq: number): boolean {
    const expected = this.last + 1;
    if (seq !== expected) this.broken = true;
    if (!Number.isSafeInteger(seq) || seq < 1) this.findings.add(expected, `Behind entry ${this.last} stands something without a place.`);
    else if (seq === this.last) this.findings.add(seq, `Entry ${seq} is there twice: one of the two was put in.`);
    else if (seq < expected) this.findings.add(seq, `Entry ${seq} stands behind entry ${this.last}: the log was put into another order, or an entry was put in.`);
    else if (seq > expected) {
      this.findings.add(expected, seq === expected + 1 ? `Entry ${expected} is missing: behind ${this.last} comes ${seq}.` : `Entries ${expected} to ${seq - 1} are missing: behind ${this.last} comes ${seq}.`);
    }
    if (seq <= this.last || !Number.isSafeInteger(seq)) return false;
    this.last = seq;
    return true;
  }

  private drop(seq: number): void {
    this.counts.dropped++;
    this.counts.firstDropped ||= seq;
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
      this.findings.add(size, `${this.good + 1 === size ? `Entry ${size} is not the one` : `Entries ${this.good + 1} to ${size} are not those`} that ${name} was signed for: the log was rewritten there, its hashes with it.${after}`);
    }
    return same;
  }

  /** Once is enough: every later root differs as well. */
  private rewritten = false;

  private missing(size: number, name: string): void {
    if (size > this.last) {
      const gone = size - this.last;
      this.findings.add(this.last + 1, `The log ends at ${this.last}, but ${name} covers ${size}: at least ${plural(gone, 'entry is', 'entries are')} gone.`);
    } else if (size < this.last && name === 'the newest checkpoint') {
      this.findings.add(size + 1, `Entries ${size + 1} to ${this.last} stand behind the newest checkpoint, which covers ${size}: nobody has signed them.`);
    }
  }

  private openNewest(note: string): Checkpoint | undefined {
    try {
      return openCheckpoint(note, this.keys);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.findings.add(this.last + 1, `The newest checkpoint proves nothing. ${error.message}. Either the pinned key is another log's, or this log is not the one that was pinned.`);
      return undefined;
    }
  }
}
