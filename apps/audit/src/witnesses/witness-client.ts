import { Injectable } from '@nestjs/common';
import { Outbound } from '@holdfast/platform';
import { FormatError, openCosignatures, withSignatureLines, type Cosignature } from '@holdfast/tlog';
import type { Witness } from './witness.js';

export interface Submission {
  /** The checkpoint with the signatures of the log. */
  note: string;
  /** Size of the log that the witness has seen; 0 if none. */
  seenSize: number;
  /** That the checkpoint continues the tree of that size (RFC 9162 §2.1.4). */
  proof: readonly Buffer[];
}

/** What a witness answers: a cosignature, or another size that it has seen of the log. */
export type WitnessResponse = { cosignature: Cosignature } | { seenSize: number };

const timeoutMs = 5000;
/** A witness may sign with a few keys, of which each takes a line. */
const maxBytes = 16_384;
const conflict = 409;

/** Requests cosignatures: c2sp.org/tlog-witness, `add-checkpoint`. */
@Injectable()
export class WitnessClient {
  constructor(private readonly outbound: Outbound) {}

  /** @throws OutboundError without an answer, or with one that refuses; FormatError when it is no cosignature */
  async submit({ key, url }: Witness, { note, seenSize, proof }: Submission): Promise<WitnessResponse> {
    const hashes = proof.map((hash) => `${hash.toString('base64')}\n`).join('');
    const response = await this.outbound.request(`${url}/add-checkpoint`, {
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: `old ${seenSize}\n${hashes}\n${note}`,
      timeoutMs,
      maxBytes,
      acceptedStatuses: [conflict],
    });
    const text = response.body.toString();
    if (response.status === conflict) {
      // Its body is the size that the witness has seen, on a line of its own.
      if (!/^(0|[1-9]\d{0,15})\n?$/.test(text)) throw new FormatError('it reports a conflict without a size');
      return { seenSize: Number.parseInt(text, 10) };
    }
    const lines = text.split('\n').filter((line) => line !== '');
    const [cosignature] = openCosignatures(withSignatureLines(note, lines), [key]);
    if (!cosignature) throw new FormatError(`the response has no cosignature by ${key.name}`);
    return { cosignature };
  }
}
