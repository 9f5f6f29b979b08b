import { createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';
import { ed25519KeyOf } from '@holdfast/platform';
import { openNote, type Checkpoint, type VerifierKey } from '@holdfast/tlog';
import { signCheckpoint, verifierKeyOf } from '@holdfast/tlog/signing';

/** The name of a log and of its keys: its address, without the scheme (c2sp.org/tlog-checkpoint). */
export function originOf(baseUrl: string, org: string): string {
  return `${new URL(baseUrl).host}/o/${org}/audit`;
}

/** The keys of one organization's log, the current one first. They are derived from seeds and stored nowhere. */
export class SigningKeys {
  readonly verifiers: VerifierKey[];
  private readonly keys: KeyObject[];

  constructor(
    seeds: readonly Buffer[],
    readonly origin: string,
  ) {
    this.keys = seeds.map((seed) => keyOf(seed, origin));
    this.verifiers = this.keys.map((key) => verifierKeyOf(origin, createPublicKey(key)));
  }

  /** Signs with all keys, so that a verifier can verify it with whichever key it has pinned. */
  sign(checkpoint: Omit<Checkpoint, 'origin'>): string {
    const [first = '', ...others] = this.keys.map((key) => signCheckpoint({ origin: this.origin, ...checkpoint }, key));
    return first + others.map((note) => note.slice(note.lastIndexOf('\n\n') + 2)).join('');
  }

  /** Whether all keys have signed it. After a rotation the last checkpoint lacks the new key. */
  haveSigned(note: string): boolean {
    try {
      return openNote(note, this.verifiers).signers.length === this.keys.length;
    } catch {
      return false;
    }
  }
}

/** HKDF (RFC 5869): the key of one organization reveals neither the seed nor the key of another one. */
function keyOf(seed: Buffer, origin: string): KeyObject {
  return ed25519KeyOf(Buffer.from(hkdfSync('sha256', seed, '', `holdfast audit checkpoint ${origin}`, 32)));
}
