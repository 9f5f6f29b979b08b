import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { AuditEvent, AuditProof } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { leafHash, openCheckpoint, parseVerifierKey, verifyInclusion } from '@holdfast/tlog';
import type { Client } from '../clients/client.ts';
import { stack } from '../clients/under-test.ts';
import { holdfastShared } from './command-line.fixture.ts';

interface Verified {
  verified: boolean;
  findings: string[];
  entries: number;
}

/** What an auditor keeps of a log and checks later: exports, checkpoints and proofs of single entries. */
export class LogKeeper {
  readonly #auditor: Client;
  readonly #folder = mkdtempSync(join(tmpdir(), 'holdfast-log-'));
  readonly #key: string;

  private constructor(auditor: Client, key: string) {
    this.#auditor = auditor;
    this.#key = key;
  }

  /** @param auditor an app with `audit:read` and `audit:export` */
  static async of(auditor: Client): Promise<LogKeeper> {
    const { body } = await auditor.call<{ keys: [string] }>('GET', `${auditor.api}/admin/audit/keys`);
    return new LogKeeper(auditor, body.keys[0]);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  /** Exports the log with the command line. Resolves to the text. */
  async export(name: string): Promise<string> {
    const { clientId, clientSecret, org } = this.#auditor.app;
    const address = ['--url', `${stack.baseUrl}/o/${org}`, '--client-id', clientId];
    const { code, errors } = await holdfastShared(['audit', 'export', ...address, '--out', this.#path(name)], {
      HOLDFAST_CLIENT_SECRET: clientSecret,
    });
    expect([code, errors]).toEqual([0, expect.not.stringContaining('rror')]);
    return readFileSync(this.#path(name), 'utf8');
  }

  async keepCheckpoint(name: string): Promise<void> {
    const { text } = await this.#auditor.call('GET', `${this.#auditor.api}/admin/audit/checkpoint`);
    writeFileSync(this.#path(name), text);
  }

  /** Verifies an export without the stack, and that it continues a kept checkpoint. */
  async verify(name: string, checkpoint?: string): Promise<Verified> {
    const kept = checkpoint === undefined ? [] : ['--checkpoint', this.#path(checkpoint)];
    const { output } = await holdfastShared([
      'audit',
      'verify',
      this.#path(name),
      '--key',
      this.#key,
      ...kept,
      '--json',
    ]);
    return JSON.parse(output) as Verified;
  }

  /** Asks again while a busy audit does not answer in time (503). */
  async proofOf(id: string): Promise<AuditProof> {
    const path = `${this.#auditor.api}/admin/audit/events/${id}/proof`;
    return eventually(async () => {
      const { status, body } = await this.#auditor.call<AuditProof>('GET', path);
      expect(status).toBe(200);
      return body;
    }, `proof of ${id}`);
  }

  /** Throws unless the entry has the same leaf as in an earlier proof, and that proof still holds. */
  async requireProved(id: string, earlier: AuditProof): Promise<void> {
    const { size, root } = openCheckpoint(earlier.checkpoint, [parseVerifierKey(this.#key)]);
    const { leaf } = await this.proofOf(id);
    expect(leaf).toBe(earlier.leaf);
    expect(
      verifyInclusion({
        index: earlier.seq - 1,
        size,
        leafHash: leafHash(Buffer.from(leaf, 'base64')),
        proof: earlier.hashes.map((hash) => Buffer.from(hash, 'base64')),
        root,
      }),
    ).toBe(true);
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

/** What of an event does not change by an erasure. */
export function withoutPersonalData({ actor, targets, request, changes, ...event }: AuditEvent) {
  const { address: _, userAgent: __, ...rest } = request;
  const { reason: ___, ...kept } = changes ?? {};
  return { ...event, actor: actor.type, targets: targets.map(({ type }) => type), request: rest, changes: kept };
}
