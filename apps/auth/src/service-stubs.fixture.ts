import { randomUUID } from 'node:crypto';
import { Controller, Module } from '@nestjs/common';
import {
  accessChanges,
  appendRecords,
  beginSignIn,
  completeSignIn,
  countDeniedRequests,
  customerStatus,
  getClient,
  knownOrganizations,
  organizationOrigins,
  organizationProfile,
  recordOperatorRead,
  webOrigins,
  type AuditRecord,
  type CredentialClaim,
  type CustomerEvent,
  type EventType,
  type RelyingPartyIds,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { DirectoryPeople } from './person-stubs.fixture.js';

interface StubCustomer {
  org: string;
  state: 'live' | 'not_live' | 'unknown';
  types: string[];
  version: number;
  since: number;
}

/** State of the stubs of directory, issuance and audit. Tests change it and read it. */
export const stubs = {
  /** Newest number of the revocation feed. */
  seq: 1,
  organizations: new Map([
    ['acme', 'Acme & Sons'],
    ['globex', 'Globex'],
  ]),
  suspended: new Set<string>(),
  relyingParties: new Map<string, RelyingPartyIds>(),
  clients: new Map<string, ReplyOf<typeof getClient>>(),
  /** How many clients auth has queried. */
  clientQueries: 0,
  customers: new Map<string, StubCustomer>(),
  /** Sign-ins with a challenge that is not consumed yet. */
  begunSignIns: new Set<string>(),
  lastRelyingParty: undefined as RelyingPartyIds | undefined,
  /** Records that audit appended, in their order. */
  records: [] as { org: string; record: AuditRecord }[],
  auditUnavailable: false,
};

/** Registers a customer with a live credential of each type. */
export function newCustomer(org = 'acme', types = ['customer']): string {
  const subject = randomUUID();
  stubs.customers.set(subject, { org, state: 'live', types, version: 2, since: 0 });
  return subject;
}

export function credentialOf(subject: string, type = 'customer'): CredentialClaim {
  return { id: `${type}-${subject.slice(0, 8)}`, type, document_number: 'D-1', issued_at: '2026-11-21T09:30:00.000Z' };
}

/** An event of issuance about a customer of acme. */
export function customerEvent(type: EventType, subject: string, changes: Partial<CustomerEvent> = {}): CustomerEvent {
  return {
    id: randomUUID(),
    type,
    occurredAt: new Date().toISOString(),
    org: 'acme',
    subject,
    version: 9,
    requestId: 'r',
    traceparent: 't',
    ...changes,
  } as CustomerEvent;
}

@Controller()
class Directory {
  @Handles(getClient)
  async client({ clientId }: RequestOf<typeof getClient>): Promise<ReplyOf<typeof getClient>> {
    stubs.clientQueries += 1;
    const client = stubs.clients.get(clientId);
    if (!client) throw new AppError('unknown_app');
    return structuredClone(client);
  }

  @Handles(organizationProfile)
  async profile({ shortId }: RequestOf<typeof organizationProfile>): Promise<ReplyOf<typeof organizationProfile>> {
    const name = stubs.organizations.get(shortId);
    if (!name) throw new AppError('unknown_organization');
    const relyingParty = stubs.relyingParties.get(shortId);
    return { shortId, name, ...(relyingParty && { relyingParty }) };
  }

  @Handles(organizationOrigins)
  async origins({ shortId }: RequestOf<typeof organizationOrigins>): Promise<ReplyOf<typeof organizationOrigins>> {
    const apps = [...stubs.clients.values()]
      .map(({ app }) => app)
      .filter(({ org, kind }) => org === shortId && kind === 'spa');
    return { origins: webOrigins(apps.flatMap(({ redirectUris }) => redirectUris)) };
  }

  @Handles(knownOrganizations)
  async known({ shortIds }: RequestOf<typeof knownOrganizations>): Promise<ReplyOf<typeof knownOrganizations>> {
    return { known: shortIds.filter((id) => stubs.organizations.has(id) || stubs.suspended.has(id)) };
  }

  @Handles(accessChanges)
  async changes(): Promise<ReplyOf<typeof accessChanges>> {
    const { seq } = stubs;
    const entry = { seq, minVersion: 0, revokedSecrets: [] };
    const apps = [...stubs.clients.keys()].map((id) => ({ ...entry, kind: 'app' as const, id, disabled: false }));
    const organizations = ['acme', 'globex', 'hooli'].map((id) => ({
      ...entry,
      kind: 'organization' as const,
      id,
      disabled: !stubs.organizations.has(id),
    }));
    return { seq, entries: [...apps, ...organizations] };
  }
}

@Controller()
class Issuance {
  @Handles(beginSignIn)
  async begin({ interaction, relyingParty }: RequestOf<typeof beginSignIn>): Promise<ReplyOf<typeof beginSignIn>> {
    stubs.begunSignIns.add(interaction);
    const { rpId, earlier } = relyingParty ?? {};
    return {
      options: { challenge: 'abc', ...(rpId !== undefined && { rpId }) },
      ...(earlier && { earlierRpId: earlier.rpId ?? 'own.example' }),
    };
  }

  @Handles(completeSignIn)
  async complete(
    { interaction, credentialType = 'customer', response, relyingParty }: RequestOf<typeof completeSignIn>,
    { org }: { org: string },
  ): Promise<ReplyOf<typeof completeSignIn>> {
    stubs.lastRelyingParty = relyingParty;
    if (!stubs.begunSignIns.delete(interaction)) throw new AppError('ceremony_expired');
    const subject = String(response.as);
    const customer = stubs.customers.get(subject);
    if (!customer || customer.state === 'unknown') return { outcome: 'refused', reason: 'unknown_passkey' };
    if (customer.org !== org) return { outcome: 'refused', reason: 'other_organization' };
    if (customer.state !== 'live' || !customer.types.includes(credentialType))
      return { outcome: 'refused', reason: 'no_live_credential', subject };
    return {
      outcome: 'signed_in',
      subject,
      credential: credentialOf(subject, credentialType),
      version: customer.version,
      deviceBound: true,
    };
  }

  @Handles(customerStatus)
  async status(
    { subject, credentialType = 'customer' }: RequestOf<typeof customerStatus>,
    { org }: { org: string },
  ): Promise<ReplyOf<typeof customerStatus>> {
    const customer = stubs.customers.get(subject);
    if (!customer || customer.state === 'unknown' || customer.org !== org) return { state: 'unknown' };
    if (customer.state === 'not_live' || !customer.types.includes(credentialType)) return { state: 'not_live' };
    return { state: 'live', credential: credentialOf(subject, credentialType), since: customer.since };
  }
}

@Controller()
class Audit {
  @Handles(appendRecords)
  async append({ records }: RequestOf<typeof appendRecords>): Promise<Record<string, never>> {
    if (stubs.auditUnavailable) throw new AppError('unavailable');
    // Deduplicates by id, as audit does.
    stubs.records.push(...records.filter(({ record }) => !stubs.records.some((r) => r.record.id === record.id)));
    return {};
  }

  @Handles(recordOperatorRead)
  async read(
    { action, targets }: RequestOf<typeof recordOperatorRead>,
    { org, auditId: id, actor, request }: RequestContext,
  ): Promise<Record<string, never>> {
    if (stubs.auditUnavailable) throw new AppError('unavailable');
    const occurredAt = new Date().toISOString();
    const record: AuditRecord = { id, occurredAt, action, actor, targets, outcome: { result: 'success' }, request };
    stubs.records.push({ org, record });
    return {};
  }

  /** Keeps one record of each kind with the last count, which is what audit appends after a minute. */
  @Handles(countDeniedRequests)
  async count({ deniedRequests }: RequestOf<typeof countDeniedRequests>): Promise<Record<string, never>> {
    if (stubs.auditUnavailable) throw new AppError('unavailable');
    const counted = new Set(deniedRequests.map((r) => r.record.id));
    stubs.records = [...stubs.records.filter((r) => !counted.has(r.record.id)), ...deniedRequests];
    return {};
  }
}

@Module({ controllers: [Directory, DirectoryPeople] })
export class DirectoryModule {}
@Module({ controllers: [Issuance] })
export class IssuanceModule {}
@Module({ controllers: [Audit] })
export class AuditModule {}
