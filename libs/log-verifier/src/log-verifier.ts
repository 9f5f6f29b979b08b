import type { AuditBroken, ExportedAuditEntry } from '@holdfast/contracts';
import { CompactRange, FormatError, hashSize, openCheckpoint, type Checkpoint, type VerifierKey } from '@holdfast/tlog';
import { base64Of, bytesOfBase64, equalBytes } from '@holdfast/tlog/platform';
import { Drops } from './drops.js';
import { checkEntry } from './entry-check.js';
import { Erasures } from './erasures.js';
import type { LogEnd } from './exported-log.js';
import { Findings } from './findings.js';
import type { LeafFacts } from './leaf-facts.js';
import { ListBounds } from './list-bounds.js';
import { plural } from './plural.js';
import { SeenIds } from './seen-ids.js';
import { UndecidableError } from './undecidable.js';
import { Unprovable } from './unprovable.js';

/** A checkpoint from an earlier verification. */
export interface KeptCheckpoint {
  /** The name of its file. */
  name: string;
  checkpoint: Checkpoint;
}

export interface Verdict {
  verified: boolean;
  /** One sentence for each problem, by sequence number. */
  findings: string[];
  /** Number of findings that are not listed. */
  more: number;
  origin: string;
  entries: number;
  /** The last checkpoint of the log, with its root in base64; absent when it is missing or not valid. */
  newest?: { size: number; root: string };
  /** Entries of which only the hash is left. */
  dropped: number;
  /** Pseudonym mappings without a salt, which cannot be checked, and entries that lack logged personal values. */
  unprovable: number;
  /** There are no other findings, as in an unchanged log of an earlier version. */
  onlyUnprovable: boolean;
  /** Sentences on what was not checked, because this log or export does not contain it. */
  notes: string[];
  /** Names of the kept checkpoints that this log is consistent with. */
  continues: string[];
}

export interface VerifierOptions {
  /** Accepts pseudonym mappings and personal values that cannot be checked. */
  allowUnprovable?: boolean;
}

/**
 * Verifies a log from its first entry to its end, and trusts nothing but `keys`: every leaf has its hash in the tree,
 * the tree has the root that a pinned key signed, earlier checkpoints are roots of the same tree when it was smaller,
 * and the other fields of an entry match its leaf.
 */
export class LogVerifier {
  private readonly findings = new Findings();
  private readonly tree = CompactRange.empty();
  private readonly ids = new SeenIds();
  private readonly kept: KeptCheckpoint[];
  private readonly continues: string[] = [];
  /** Sequence number of the last entry. */
  private last = 0;
  /** An entry was missing or duplicated, so no later root can be computed. */
  private rootUnknown = false;
  /** Size up to which the log is known to be as it was signed. */
  private verifiedSize = 0;
  /** Set after the first wrong root: every later root differs as well. */
  private rewritten = false;
  private readonly drops = new Drops();
  /** Size of the log when its reading began; set when reading continued after that. */
  private began: number | undefined;
  private readonly unprovable = new Unprovable();
  private readonly bounds = new ListBounds(this.findings, this.unprovable);
  private readonly erasures = new Erasures();
  private counts = { entries: 0, dropped: 0 };

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
      const treeHash = typeof entry.leafHash === 'string' ? bytesOfBase64(entry.leafHash) : undefined;
      if (treeHash?.length !== hashSize) throw new FormatError('its leafHash is not 32 bytes in base64');
      const checked = checkEntry(entry, treeHash);
      for (const problem of checked.problems) this.findings.at(seq, problem);
      if (checked.hash === undefined) this.counts.dropped++;
      else if (checked.problems.length > 0) this.findings.moved(seq, checked.hash, treeHash);
      this.drops.add(entry);
      this.bounds.add(entry, checked.record?.occurredAt);
      if (checked.record) this.addRecord(seq, checked.record);
      if (checked.unmapped) this.erasures.add(seq, checked.unmapped, checked.customerIsMapped);
      this.unprovable.unsalted.add(seq, checked.unsalted);
      this.unprovable.withheld.add(seq, checked.withheld ? 1 : 0);
      if (!this.rootUnknown) this.tree.append(treeHash);
    } catch (error) {
      this.rootUnknown = true;
      this.findings.at(seq, `cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (this.kept.length > 0) this.compareKept();
  }

  private addRecord(seq: number, record: LeafFacts): void {
    if (!this.ids.add(record.id)) this.findings.at(seq, 'has the id of an earlier entry: one of the two was inserted');
    if (record.erases) this.erasures.record(seq, record.erases);
    this.drops.record(seq, record);
  }

  /** Whether entries have no bytes that may have been dropped since the reading began: the drop record comes later. */
  get awaitsDropRecord(): boolean {
    return this.drops.awaitsRecord;
  }

  /** All entries that `note` covers were read; later ones follow. */
  continueFrom(note: string): void {
    const checkpoint = this.openNewest(note);
    this.began ??= checkpoint?.size ?? this.last;
    if (checkpoint) this.compare(checkpoint, 'the checkpoint that the reading began with');
  }

  /** To be called for a line that is not a valid entry. */
  unreadable(line: number): void {
    this.rootUnknown = true;
    this.findings.add(
      this.last + 1,
      `Line ${line} is damaged: it is not an entry. ${this.last === 0 ? 'No entry' : `Entry ${this.last}`} comes ` +
        'before it.',
    );
  }

  /** @param stated the last line of a file, which states the content of the file */
  endOfFile(stated: LogEnd | undefined): Verdict {
    if (typeof stated?.checkpoint !== 'string')
      this.findings.add(
        this.last + 1,
        `The file ends after entry ${this.last} without its last line: it was truncated.`,
      );
    else if (stated.count !== this.counts.entries || stated.lastSeq !== this.last) {
      this.findings.add(
        this.last + 1,
        `The file has ${plural(this.counts.entries, 'entry', 'entries')} up to ${this.last}, but its last line says ` +
          `${stated.count} up to ${stated.lastSeq}.`,
      );
    }
    return this.end(stated?.checkpoint, stated);
  }

  /**
   * The end of the log.
   *
   * @param note the newest checkpoint, undefined when there is none
   * @throws UndecidableError when there are no findings, but more entries may be missing than were dropped
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
    for (const seq of this.erasures.report(this.findings)) this.unprovable.unmappedLate.add(seq, 1);
    if (broken) this.reportBroken(broken, note);
    const proven = this.findings.none;
    if (this.options.allowUnprovable !== true) this.unprovable.report(this.findings);
    const { sentences, more } = this.findings.list();
    const { withoutMonth } = this.drops;
    if (sentences.length === 0 && withoutMonth.length > 0) {
      throw new UndecidableError(
        `${plural(withoutMonth.length, 'entry has', 'entries have')} no bytes, the first at seq ` +
          `${withoutMonth[0]!}, and this export is from before exports contained the class and month of entries: ` +
          'whether they were dropped or removed cannot be decided. Export the log again.',
      );
    }
    return {
      verified: sentences.length === 0,
      findings: sentences,
      more,
      origin: this.keys[0]?.name ?? '',
      ...this.counts,
      ...(newest && { newest: { size: newest.size, root: base64Of(newest.root) } }),
      unprovable: this.unprovable.count,
      onlyUnprovable: sentences.length > 0 && proven,
      notes: [...meanwhile, ...this.notes(counted)],
      continues: this.continues,
    };
  }

  /** Entries after the signed part are not signed, so changes there cannot be detected. */
  private reportBroken({ detail, since, unsigned }: AuditBroken, note: string | undefined): void {
    const unsignedPart =
      unsigned > 0
        ? ` Nobody has signed the ${plural(unsigned, 'entry', 'entries')} after ` +
          `${note === '' ? 'that' : 'the newest checkpoint'}.`
        : '';
    this.findings.add(
      this.last + 1,
      `The log cannot be signed any more since ${since}, because ${detail}.${unsignedPart}`,
    );
  }

  private notes(counted: number): string[] {
    return [
      ...(counted > 0
        ? [
            `Of ${plural(counted, 'dropped entry', 'dropped entries')} the log records class, month and number ` +
              'only: it did not record sequence numbers at that time.',
          ]
        : []),
      ...(this.bounds.absent && this.counts.entries > 0
        ? [
            'This export is from before exports contained the class and month of entries and the bounds for time ' +
              'filters: whether lists omit something was not checked.',
          ]
        : []),
    ];
  }

  /** Whether the entry is the next one; otherwise it is reported. */
  private acceptSeq(seq: number): boolean {
    const expected = this.last + 1;
    if (seq !== expected) this.rootUnknown = true;
    if (!Number.isSafeInteger(seq) || seq < 1)
      this.findings.add(expected, `Entry ${this.last} is followed by an entry without a valid seq.`);
    // Listed before a finding about the first of the two: the inserted one may come first and look changed.
    else if (seq === this.last) this.findings.add(seq, `Entry ${seq} exists twice: one of the two was inserted.`, 0);
    else if (seq < expected)
      this.findings.add(
        seq,
        `Entry ${seq} follows entry ${this.last}: the log was reordered, or an entry was inserted.`,
      );
    else if (seq > expected) {
      this.findings.add(
        expected,
        seq === expected + 1
          ? `Entry ${expected} is missing: ${this.last} is followed by ${seq}.`
          : `Entries ${expected} to ${seq - 1} are missing: ${this.last} is followed by ${seq}.`,
      );
    }
    if (seq <= this.last || !Number.isSafeInteger(seq)) return false;
    this.last = seq;
    return true;
  }

  /** At the size of a kept checkpoint, the tree must have its root. */
  private compareKept(): void {
    while (this.kept.length > 0 && this.kept[0]!.checkpoint.size <= this.tree.size) {
      const { name, checkpoint } = this.kept.shift()!;
      if (this.compare(checkpoint, `the checkpoint ${name}`)) this.continues.push(name);
    }
  }

  private compare({ size, root }: Checkpoint, name: string): boolean {
    if (this.rootUnknown || size !== this.tree.size) {
      this.missing(size, name);
      return false;
    }
    const same = equalBytes(this.tree.root(), root);
    if (same) this.verifiedSize = size;
    else if (!this.rewritten) {
      this.rewritten = true;
      const from = this.verifiedSize + 1;
      const which = from === size ? `Entry ${size} is not the one` : `Entries ${from} to ${size} are not the ones`;
      const before = from === 1 ? '' : ` Up to entry ${from - 1} the log is as it was signed.`;
      // Sorted by its last entry, so that findings about single entries come first.
      this.findings.add(
        size,
        `${which} that ${name} covers: the log was rewritten there, including its hashes.${before}`,
      );
    }
    return same;
  }

  private missing(size: number, name: string): void {
    if (size > this.last) {
      const missing = plural(size - this.last, 'entry is', 'entries are');
      this.findings.add(
        this.last + 1,
        `The log ends at ${this.last}, but ${name} covers ${size}: at least ${missing} missing.`,
      );
    } else if (size < this.last && name === 'the newest checkpoint') {
      this.findings.add(
        size + 1,
        `Entries ${size + 1} to ${this.last} come after the newest checkpoint, which covers ${size}: nobody has ` +
          'signed them.',
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
        `The newest checkpoint is not valid. ${error.message}. Either the pinned key belongs to another log, or ` +
          'this is not the pinned log.',
      );
      return undefined;
    }
  }
}
