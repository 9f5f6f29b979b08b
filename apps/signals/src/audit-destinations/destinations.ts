import { Inject, Injectable, Logger } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import {
  allOrganizations,
  makerOf,
  maxAuditDestinations,
  type Action,
  type AuditDestination,
  type AuditRecord,
  type CreatedAuditDestination,
  type DestinationChanges,
  type NewDestination,
  type RequestContext,
} from '@holdfast/contracts';
import { Database, type Sql } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import { AppError, auditRecord, CLOCK, newId, requireCredentialsForOrigin, type Clock } from '@holdfast/platform';
import { makerColumns } from '../makers/maker-columns.js';
import { Outbounds } from '../sending/outbounds.js';
import { Suspensions } from '../sending/suspensions.js';
import { newSigningSecret, rotatedSecrets, type SigningSecrets } from '../standard-webhooks/signing-secrets.js';
import { Credentials } from './credentials.js';
import { DeliveryQueue } from './delivery/delivery-queue.js';
import { LogEnds } from './delivery/log-ends.js';
import {
  insert,
  insertDeliveries,
  lock,
  lockDeliveries,
  remove,
  rewind,
  select,
  update,
} from './destination-statements.js';
import { destinationTarget, ownerOf, toDestination, unknownDestination, type DestinationRow } from './destination.js';
import { credentialsOf, originOf, requireCallable, settingsOf } from './given.js';

type Stored = Omit<DestinationRow, 'after_seq' | 'behind' | 'behind_since'>;
type ChangeRecord = { action: Action; changes?: AuditRecord['changes'] };

/** The destinations of an organization's log. Each change commits with its audit record. */
@Injectable()
export class Destinations {
  private readonly logger = new Logger('audit destinations');

  constructor(
    private readonly database: Database,
    private readonly records: RecordOutbox,
    private readonly credentials: Credentials,
    private readonly outbounds: Outbounds,
    private readonly ends: LogEnds,
    private readonly queue: DeliveryQueue,
    private readonly suspensions: Suspensions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async list(context: RequestContext, id?: string): Promise<AuditDestination[]> {
    return this.shown(this.database, ownerOf(context), id);
  }

  /** @throws unknown_destination */
  async get(context: RequestContext, id: string): Promise<AuditDestination> {
    const [found] = await this.list(context, id);
    if (!found) throw unknownDestination();
    return found;
  }

  /** @throws invalid_request, limit_reached, unknown_organization */
  async create(
    given: NewDestination,
    context: RequestContext,
    keyed?: KeyedRequest,
    shared?: { id: string; secret: string },
  ): Promise<{ destination: CreatedAuditDestination }> {
    const org = ownerOf(context);
    const own = (org === allOrganizations ? shared : undefined) ?? { id: newId(), secret: newSigningSecret() };
    const { id } = own;
    const { kind, format, description, after, settings, filter } = given;
    requireCallable(kind, settings, this.outbounds.of({ org }));
    const secret = kind === 'https' ? own.secret : undefined;
    const credentials = secret === undefined ? (given as { credentials?: unknown }).credentials : { secret };
    const sealed = credentials === undefined ? null : this.credentials.sealed(id, credentials);
    const ends = await this.startsOf(context, org, after);
    const changes = {
      kind: { to: kind },
      format: { to: format },
      settings: { to: settings },
      ...(filter && { filter: { to: filter } }),
    };
    const created = await this.change(
      context,
      id,
      { action: 'audit_destination.create', changes },
      keyed,
      async (sql) => {
        const now = this.clock.now();
        await this.suspensions.hold(sql, org);
        await insertInSlot(sql, {
          ...{ slots: maxAuditDestinations, id, org, kind, format, description, credentials: sealed, created_at: now },
          ...makerColumns(makerOf(context.actor)),
          settings: JSON.stringify(settings),
          filter: filter && JSON.stringify(filter),
        });
        const places = [ends.map((e) => e.org), ends.map((e) => e.after), ends.map((e) => e.end)];
        await sql.rows(insertDeliveries, [id, ...places, now]);
        const [destination] = await this.shown(sql, org, id);
        return { destination: { ...destination!, ...(secret !== undefined && { secret }) } };
      },
    );
    this.ends.watch(org);
    return created;
  }

  /** @throws unknown_destination, invalid_request */
  update(
    id: string,
    given: DestinationChanges,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<{ destination: AuditDestination; changed: boolean }> {
    return this.changeOne(context, id, 'audit_destination.update', keyed, (before) => {
      const settings = given.settings ? settingsOf(before.kind, given.settings) : before.settings;
      requireCallable(before.kind, settings, this.outbounds.of(before));
      const hasGenerated = before.kind === 'https';
      requireCredentialsForOrigin({
        before: originOf(before.kind, before.settings),
        after: originOf(before.kind, settings),
        hasStored: before.credentials !== null && !hasGenerated,
        areGiven: given.credentials !== undefined,
      });
      const credentials = given.credentials
        ? this.credentials.sealed(id, credentialsOf(before.kind, given.credentials))
        : before.credentials;
      const { description = before.description, format = before.format, filter = before.filter } = given;
      const after = { ...before, settings: settings as Stored['settings'], credentials, description, format, filter };
      // What is sent, or where, is from now on the doing of who changed it.
      const sends = given.settings ?? given.credentials ?? given.format ?? given.filter;
      return sends === undefined ? after : { ...after, ...makerColumns(makerOf(context.actor)) };
    });
  }

  pause(
    id: string,
    paused: boolean,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<{ destination: AuditDestination; changed: boolean }> {
    const action = paused ? 'audit_destination.pause' : 'audit_destination.resume';
    return this.changeOne(context, id, action, keyed, (before) => ({
      ...before,
      paused,
      paused_because: paused ? before.paused_because : null,
      ...(!paused && makerColumns(makerOf(context.actor))),
    }));
  }

  /** Both secrets sign for a day. @throws unknown_destination; invalid_state when the kind has no secret */
  rotateSecret(
    id: string,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<{ secret: string; previousUntil: string }> {
    return this.change(context, id, { action: 'audit_destination.rotate_secret' }, keyed, async (sql) => {
      const before = await this.locked(sql, ownerOf(context), id);
      if (before.kind !== 'https')
        throw new AppError('invalid_state', `A destination of the kind ${before.kind} has no secret that signs.`);
      const earlier = this.credentials.unsealed(id, before.credentials) as SigningSecrets;
      const secrets = rotatedSecrets(earlier, this.clock.now());
      await this.store(sql, { ...before, credentials: this.credentials.sealed(id, secrets) });
      return { secret: secrets.secret, previousUntil: secrets.previous.until };
    });
  }

  /** Entries after `after` are sent again. @throws unknown_destination; invalid_request beyond the end of the log */
  async rewind(
    id: string,
    after: number,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<{ destination: AuditDestination }> {
    const org = ownerOf(context);
    await this.get(context, id);
    const starts = await this.startsOf(context, org, after);
    const end = org === allOrganizations ? 0 : starts[0]!.end;
    const changes = { after: { to: after } };
    return this.change(context, id, { action: 'audit_destination.rewind', changes }, keyed, async (sql) => {
      await sql.rows(lockDeliveries, [org, id]);
      const before = await this.locked(sql, org, id);
      await sql.rows(rewind, [id, after, this.clock.now(), end]);
      await this.store(sql, before);
      const [destination] = await this.shown(sql, org, id);
      return { destination: destination! };
    });
  }

  /** @throws unknown_destination */
  delete(id: string, context: RequestContext, keyed?: KeyedRequest): Promise<Record<string, never>> {
    return this.change(context, id, { action: 'audit_destination.delete' }, keyed, async (sql) => {
      await sql.rows(lockDeliveries, [ownerOf(context), id]);
      await this.locked(sql, ownerOf(context), id);
      await sql.rows(remove, [id]);
      return {};
    });
  }

  /** Where a destination begins in each log. @throws invalid_request beyond the end, unknown_organization */
  private async startsOf(
    context: RequestContext,
    owner: string,
    after: number | undefined,
  ): Promise<{ org: string; after: number; end: number }[]> {
    const logs = await this.ends.read(owner);
    if (owner !== allOrganizations && logs.length === 0) {
      if (context.actor.type === 'operator')
        throw new AppError('unknown_organization', `There is no organization "${owner}".`);
      logs.push([owner, 0]);
    }
    return logs.map(([org, end]) => {
      // Also of one log among many: its entries up to `after` would never be sent.
      if (after !== undefined && after > end) throw beyondEnd(end, owner === allOrganizations ? org : undefined);
      return { org, after: after ?? end, end };
    });
  }

  private changeOne(
    context: RequestContext,
    id: string,
    action: Action,
    keyed: KeyedRequest | undefined,
    rule: (before: Stored) => Stored,
  ): Promise<{ destination: AuditDestination; changed: boolean }> {
    const record: ChangeRecord = { action };
    return this.change(context, id, record, keyed, async (sql) => {
      const org = ownerOf(context);
      const before = await this.locked(sql, org, id);
      const after = rule(before);
      record.changes = changesOf(before, after);
      // To resume one that waits for its next attempt means: now.
      const changed =
        record.changes !== undefined ||
        (action === 'audit_destination.resume' && (before.retry_at !== null || before.maker_id !== after.maker_id));
      if (changed) await this.store(sql, after);
      const [destination] = await this.shown(sql, org, id);
      return { destination: destination!, changed };
    });
  }

  /** Commits a change with its record and the response under its Idempotency-Key. `changed: false` writes no record. */
  private async change<Reply extends object>(
    context: RequestContext,
    id: string,
    record: ChangeRecord,
    keyed: KeyedRequest | undefined,
    work: (sql: Sql) => Promise<Reply>,
  ): Promise<Reply> {
    const { org } = context;
    const committed = await this.database.transaction(async (sql) => {
      const reply = await work(sql);
      const { action, changes } = record;
      const targets = [destinationTarget(id)];
      const outcome = { result: 'success' } as const;
      const written = auditRecord(context, this.clock.now(), { action, targets, outcome, changes });
      const isRecorded = org !== '' && (reply as { changed?: boolean }).changed !== false;
      if (isRecorded) await this.records.add(sql, org, written);
      await keyed?.store(sql, reply, { event: written.id, version: 0 });
      return { reply, written: isRecorded ? written : undefined };
    });
    if (committed.written) await this.records.append(org, committed.written);
    // The operator's destinations of all organizations are in no organization's audit log.
    else if (org === '') this.logger.log(`${record.action} of the destination ${id} of all organizations`);
    this.queue.wake();
    return committed.reply;
  }

  private async shown(sql: Sql, org: string, id?: string): Promise<AuditDestination[]> {
    const rows = await sql.rows<Omit<DestinationRow, 'credentials'>>(select, [org, id ?? null]);
    return rows.map((row) => toDestination(row, this.clock.now()));
  }

  private async locked(sql: Sql, org: string, id: string): Promise<Stored> {
    const [row] = await sql.rows<Stored>(lock, [org, id]);
    if (!row) throw unknownDestination();
    return row;
  }

  private async store(sql: Sql, row: Stored): Promise<void> {
    const { id, format, description, settings, credentials, paused, paused_because, filter } = row;
    const { maker_type, maker_id, maker_name } = row;
    const values = update.values({
      ...{ id, format, description, credentials, paused, paused_because, maker_type, maker_id, maker_name },
      settings: JSON.stringify(settings),
      filter: filter && JSON.stringify(filter),
    });
    await sql.rows(update, values);
  }
}

/** @throws limit_reached */
async function insertInSlot(sql: Sql, destination: Parameters<typeof insert.values>[0]): Promise<void> {
  const values = insert.values(destination);
  // Each attempt that inserts nothing has found one slot more taken, or none that is free.
  for (let attempt = 0; attempt <= maxAuditDestinations; attempt += 1)
    if ((await sql.rows(insert, values)).length > 0) return;
  const detail = `There are ${maxAuditDestinations} destinations, which is the maximum. Delete one first.`;
  throw new AppError('limit_reached', detail);
}

function beyondEnd(end: number, org?: string): AppError {
  const detail = `must be at most ${end}, the end of the log${org === undefined ? '' : ` of ${org}`}`;
  return new AppError('invalid_request', undefined, { status: 422, errors: [{ pointer: '#/after', detail }] });
}

/** The fields that differ, for the audit record: of credentials only that they do. */
function changesOf(before: Stored, after: Stored): AuditRecord['changes'] {
  const fields = (['description', 'format', 'settings', 'filter', 'paused'] as const).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
  const changes: NonNullable<AuditRecord['changes']> = Object.fromEntries(
    fields.map((field) => [
      field,
      { ...(before[field] !== null && { from: before[field] }), ...(after[field] !== null && { to: after[field] }) },
    ]),
  );
  if (before.credentials !== after.credentials) changes.credentials = { to: 'replaced' };
  return Object.keys(changes).length === 0 ? undefined : changes;
}
