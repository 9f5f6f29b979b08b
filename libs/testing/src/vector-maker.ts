import type { CapturedLog, Edit } from './captured-log.js';

export interface ExportVector {
  name: string;
  /** In this order. */
  edits: Edit[];
  keys: string[];
  checkpoint?: string;
  witnesses?: string[];
  quorum?: number;
  /** `message`: how the first finding begins, or the sentence that says why nothing is decided. */
  expected: { verdict: 'verified' | 'refuted' | 'undecided'; message?: string };
}

/** What was captured beside the log (apps/e2e/src/audit/real-log.spec.ts). */
export interface Captured {
  /** The key that has signed the last line. */
  verifierKey: string;
  /** Size of the log before the second of its two drops. */
  began: number;
  /** The lines of the entries of that drop, as they were before it. */
  restored: string[];
}

/** The parts of a vector that may differ from those of the log itself, with its own key. */
type More = Partial<Omit<ExportVector, 'name' | 'edits' | 'expected'>>;

/** Makes vectors of one log. */
export class VectorMaker {
  constructor(
    readonly log: CapturedLog,
    readonly captured: Captured,
  ) {}

  /** Both keys, for vectors with checkpoints of both. */
  get bothKeys(): string[] {
    return [this.captured.verifierKey, this.log.signer.text];
  }

  verified(name: string, edits: Edit[] = [], more: More = {}): ExportVector {
    return { name, edits, keys: [this.captured.verifierKey], ...more, expected: { verdict: 'verified' } };
  }

  refuted(name: string, message: string, edits: Edit[], more: More = {}): ExportVector {
    return { ...this.verified(name, edits, more), expected: { verdict: 'refuted', message } };
  }

  undecided(name: string, message: string, more: More, edits: Edit[] = []): ExportVector {
    return { ...this.verified(name, edits, more), expected: { verdict: 'undecided', message } };
  }

  /** Verified with the key of the vectors, since these edits change what a checkpoint covers. */
  get bySigner(): More {
    return { keys: [this.log.signer.text] };
  }
}
