import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditExport } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import type { Client } from '../clients/client.ts';

/** Exports the log again and again, and keeps the files that were downloaded whole. */
export class LogExports {
  readonly #client: Client;
  readonly #folder = mkdtempSync(join(tmpdir(), 'holdfast-chaos-exports-'));
  readonly #files: { name: string; made: AuditExport }[] = [];
  readonly #errors: string[] = [];
  downloaded = 0;
  /** Exports that ended otherwise, by state and reason. */
  readonly others: string[] = [];

  constructor(client: Client) {
    this.#client = client;
  }

  async runUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#exportOnce().catch(() => this.#client.clearToken());
      await sleep(500);
    }
  }

  /** One more, when nothing disturbs. */
  async end(): Promise<void> {
    const before = this.downloaded;
    await eventually(
      async () => {
        await this.#exportOnce().catch(() => this.#client.clearToken());
        return this.downloaded > before;
      },
      'an export after the load',
      60_000,
    );
  }

  /** Verifies the files offline, each once. @returns all errors */
  async check(): Promise<string[]> {
    const { stack, api } = this.#client;
    const { keys } = (await this.#client.call<{ keys: string[] }>('GET', `${api}/admin/audit/keys`)).body;
    for (const { name, made } of this.#files.splice(0)) {
      const { exitCode, stdout, stderr } = await stack.printed('audit', 'verify', name, '--key', keys[0]!);
      if (exitCode !== 0) this.#errors.push(`the export ${made.id} does not verify: ${stdout}${stderr}`.slice(0, 500));
      if (made.entries !== made.progress?.size)
        this.#errors.push(`${made.id} has ${made.entries} of ${made.progress?.size}`);
    }
    return this.#errors;
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }

  async #exportOnce(): Promise<void> {
    const path = `${this.#client.api}/admin/audit/exports`;
    const json = { format: 'ndjson', proof: true };
    let { status, body: made } = await this.#client.call<AuditExport>('POST', path, { json });
    if (status !== 202) throw new Error(`no export: ${status}`);
    for (const until = performance.now() + 60_000; made.state === 'queued' || made.state === 'running';) {
      if (performance.now() > until) throw new Error(`the export ${made.id} is not written`);
      await sleep(200);
      ({ status, body: made } = await this.#client.call<AuditExport>('GET', `${path}/${made.id}`));
      if (status !== 200) throw new Error(`no state: ${status}`);
    }
    if (made.state !== 'ready' || !(await this.#download(made)))
      return void this.others.push(`${made.state} ${made.reason ?? ''}`);
    // An organization may have 20 files.
    await this.#client.call('DELETE', `${path}/${made.id}`);
  }

  /** Continues with a range when a connection breaks. @returns false when an erasure has deleted the file */
  async #download(made: AuditExport): Promise<boolean> {
    const { stack, api } = this.#client;
    const parts: Buffer[] = [];
    for (let received = 0, tries = 0; received < made.bytes; tries += 1) {
      const response = await fetch(`${stack.gateways[tries % 2]!}${api}/admin/audit/exports/${made.id}/file`, {
        headers: {
          authorization: `Bearer ${await this.#client.token()}`,
          ...(received > 0 && { range: `bytes=${received}-`, 'if-range': `"${made.sha256}"` }),
        },
      }).catch(() => undefined);
      if (response?.status === 409) return false;
      if (!response?.ok) await sleep(200);
      else
        try {
          for await (const chunk of response.body! as AsyncIterable<Uint8Array>) {
            parts.push(Buffer.from(chunk));
            received += chunk.length;
          }
        } catch {
          this.#client.clearToken();
        }
    }
    const bytes = Buffer.concat(parts);
    if (createHash('sha256').update(bytes).digest('hex') !== made.sha256) throw new Error('other bytes');
    const name = join(this.#folder, made.id);
    writeFileSync(name, bytes);
    this.#files.push({ name, made });
    this.downloaded += 1;
    return true;
  }
}
