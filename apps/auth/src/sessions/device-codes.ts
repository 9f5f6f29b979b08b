import { Inject, Injectable } from '@nestjs/common';
import type { AdapterPayload } from 'oidc-provider';
import { RecordOutbox } from '@holdfast/audit-client';
import type { AuditRecord } from '@holdfast/contracts';
import { Database, statement, type Sql } from '@holdfast/data';
import { encryptionKeysOf, sha256, type Keys } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import type { StateOrigin } from '../request-context/issuer-request.js';
import { sealPayload, unsealPayload } from './sealed-payload.js';
import { StateStore } from './state-store.js';

const model = 'DeviceCode';

/** A second row would be another device that shows the same code: then neither is found. */
const find = statement(
  'device_code_find',
  `SELECT id, payload FROM oidc_state WHERE org = $1 AND model = '${model}' AND uid = $2 AND expires_at > $3 LIMIT 2`,
);
/**
 * Consumes the user code: of concurrent decisions about a device one is stored. A grant that was revoked meanwhile
 * signs no device in.
 */
const decide = statement(
  'device_code_decide',
  `UPDATE oidc_state SET uid = NULL, payload = $4, account = $5, version = $6, credential = $7, passkey = $8,
     grant_id = $9, client_id = $10
   WHERE org = $1 AND model = '${model}' AND id = $2 AND uid = $3
     AND ($9::bytea IS NULL
       OR EXISTS (SELECT 1 FROM oidc_state g WHERE g.org = $1 AND g.model = 'Grant' AND g.id = $9))
   RETURNING 1`,
);

/** A device that waits until somebody has entered its code. */
export interface WaitingDevice {
  id: Buffer;
  userCode: string;
  clientId: string;
  /** Parameters of its request. */
  params: Record<string, unknown>;
  payload: AdapterPayload;
}

/** Who signs the device in. */
export interface DeviceApproval {
  accountId: string;
  acr: string;
  amr: readonly string[];
  /** In seconds since 1970. */
  authTime: number;
  scope: string;
  grant: { id: string; payload: AdapterPayload; seconds: number };
  origin: StateOrigin;
}

/** Sign-ins on devices (RFC 8628), as rows of the issuer's state whose `uid` is the hash of the user code. */
@Injectable()
export class DeviceCodes {
  private readonly keys: Keys;

  constructor(
    private readonly database: Database,
    private readonly store: StateStore,
    private readonly records: RecordOutbox,
    @Inject(CONFIG) config: Config,
  ) {
    this.keys = encryptionKeysOf(config);
  }

  /** The device that shows this code; undefined when none does, or its code has expired or is consumed. */
  async find(org: string, userCode: string): Promise<WaitingDevice | undefined> {
    const now = new Date(Date.now());
    const rows = await this.database.rows<{ id: Buffer; payload: Buffer }>(find, [org, sha256(userCode), now]);
    const [row] = rows;
    if (!row || rows.length > 1) return undefined;
    const payload = unsealPayload(this.keys, org, model, row);
    if ((payload.exp ?? 0) * 1000 <= now.getTime()) return undefined;
    return { id: row.id, userCode, clientId: payload.clientId!, params: payload.params ?? {}, payload };
  }

  /**
   * Signs the device in, with a grant of its own; the record commits with it. False when somebody else has decided, or
   * the sign-in was revoked meanwhile: then the device gets nothing.
   */
  async approve(org: string, device: WaitingDevice, approval: DeviceApproval, record: AuditRecord): Promise<boolean> {
    const { grant, origin, amr, ...signIn } = approval;
    if (!(await this.store.upsert(org, 'Grant', grant.id, grant.payload, grant.seconds, origin))) return false;
    const { version, passkey, credential, peopleApp } = origin;
    const { nonce } = device.params as { nonce?: string };
    const approved = {
      ...{ ...device.payload, ...signIn, amr: [...amr], grantId: grant.id },
      ...(nonce !== undefined && { nonce }),
    };
    const columns = [signIn.accountId, version, credential, passkey, sha256(grant.id), peopleApp];
    const stored = await this.database.transaction(async (sql) => {
      if (!(await this.decide(sql, org, device, approved, columns))) return false;
      await this.records.add(sql, org, record);
      return true;
    });
    if (!stored) await this.store.destroy(org, 'Grant', grant.id);
    return stored;
  }

  /** The device gets `access_denied`. False when somebody else has decided before. */
  deny(org: string, device: WaitingDevice): Promise<boolean> {
    const denied = { ...device.payload, error: 'access_denied', errorDescription: 'the sign-in was denied' };
    return this.decide(
      this.database,
      org,
      device,
      denied,
      Array.from({ length: 6 }, () => undefined),
    );
  }

  private async decide(
    sql: Pick<Sql, 'rows'>,
    org: string,
    { id, userCode }: WaitingDevice,
    payload: AdapterPayload,
    columns: readonly unknown[],
  ): Promise<boolean> {
    const values = [org, id, sha256(userCode), sealPayload(this.keys, org, model, id, payload)];
    return (await sql.rows(decide, [...values, ...columns.map((column) => column ?? null)])).length > 0;
  }
}
