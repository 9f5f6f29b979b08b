import { createHash } from 'node:crypto';
import type { ExportedAuditEntry } from '@holdfast/contracts';
import { formatVerifierKey, leafHash } from '@holdfast/tlog';
import { checkpointOf, newSigner, type Signer } from './exported-log.js';

/**
 * A change of one line, numbered from 1 as the lines are before this change; or of members of all lines up to another
 * one: null removes a member.
 */
export type Edit = { line: number } & (
  | { replaceWith: string }
  | { insertAfter: string }
  | { remove: true }
  | { to: number; members: Record<string, unknown> }
);

/** The lines of a vector's file. */
export function edited(lines: readonly string[], edits: readonly Edit[]): string[] {
  return edits.reduce(
    (all: string[], edit) =>
      'remove' in edit
        ? all.toSpliced(edit.line - 1, 1)
        : 'insertAfter' in edit
          ? all.toSpliced(edit.line, 0, edit.insertAfter)
          : 'members' in edit
            ? all.map((line, i) => (i + 1 >= edit.line && i < edit.to ? withMembers(line, edit.members) : line))
            : all.with(edit.line - 1, edit.replaceWith),
    [...lines],
  );
}

function withMembers(line: string, members: Record<string, unknown>): string {
  const changed = { ...(JSON.parse(line) as object), ...members };
  return JSON.stringify(Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== null)));
}

/** The key of vectors whose checkpoint is not that of the captured log, whose own key was not kept. */
export function vectorSigner(lines: readonly string[]): Signer & { text: string } {
  const { origin } = JSON.parse(lines[0]!) as { origin: string };
  const signer = newSigner(origin, createHash('sha256').update('audit export vectors').digest());
  return { ...signer, text: formatVerifierKey(signer.key) };
}

type Leaf = Record<string, unknown> & { targets: { type: string; id: string }[]; outcome: object };

/** The log of docs/audit-export-vectors, of which test vectors are edits. */
export class CapturedLog {
  readonly lines: string[];
  readonly entries: ExportedAuditEntry[];
  readonly signer: Signer & { text: string };

  constructor(text: string) {
    this.lines = text.trimEnd().split('\n');
    this.entries = this.lines.slice(1, -1).map((line) => JSON.parse(line) as ExportedAuditEntry);
    this.signer = vectorSigner(this.lines);
  }

  get size(): number {
    return this.entries.length;
  }

  /** The first entry with this property. */
  find(what: string, has: (entry: ExportedAuditEntry) => boolean): ExportedAuditEntry {
    const found = this.entries.find(has);
    if (!found) throw new Error(`The captured log has no ${what}`);
    return found;
  }

  entry(seq: number): ExportedAuditEntry {
    return this.entries[seq - 1]!;
  }

  leafOf({ leaf = '' }: ExportedAuditEntry): Leaf {
    return JSON.parse(Buffer.from(leaf, 'base64').toString()) as Leaf;
  }

  /** The line of an entry, changed. A member whose value is undefined is removed. */
  changed(seq: number, change: object): Edit {
    return this.replaced(seq, JSON.stringify({ ...this.entry(seq), ...change }));
  }

  replaced(seq: number, line: string): Edit {
    return { line: seq + 1, replaceWith: line };
  }

  end(change: object): Edit {
    const end = JSON.parse(this.lines.at(-1)!) as object;
    return { line: this.lines.length, replaceWith: JSON.stringify({ ...end, ...change }) };
  }

  /** Signed by the key of the vectors. */
  checkpoint(
    size = this.size,
    entries: readonly ExportedAuditEntry[] = this.entries,
    by: Signer = this.signer,
  ): string {
    return checkpointOf(entries.slice(0, size), by);
  }

  /** These entries, and a checkpoint that covers them: as by a log that has said so itself. */
  signed(...changed: ExportedAuditEntry[]): Edit[] {
    const entries = changed.reduce((all, entry) => all.with(entry.seq - 1, entry), this.entries);
    return [
      ...changed.map((entry) => this.replaced(entry.seq, JSON.stringify(entry))),
      this.end({ checkpoint: this.checkpoint(this.size, entries) }),
    ];
  }

  /** An entry with other bytes and their hash. */
  withLeaf(entry: ExportedAuditEntry, leaf: object | string, found: object = {}): ExportedAuditEntry {
    const bytes = Buffer.from(typeof leaf === 'string' ? leaf : JSON.stringify(leaf));
    return {
      ...entry,
      leaf: bytes.toString('base64'),
      leafHash: leafHash(bytes).toString('base64'),
      found: { ...entry.found!, ...found },
    };
  }
}
