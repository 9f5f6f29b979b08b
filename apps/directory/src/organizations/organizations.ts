import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import type { Action, AuditRecord, Organization, RequestContext } from '@holdfast/contracts';
import { sqlOf, statement, violatedUnique, type Sql } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import { AppError, organizationKey } from '@holdfast/platform';
import { Changes, type Change } from '../changes/changes.js';
import { insertHubApp } from './hub-apps.js';
import { OrganizationEntity, toOrganization } from './organization.entity.js';

/** A change of an organization, for its audit record. */
export interface OrganizationChange {
  action: Action;
  changes: AuditRecord['changes'];
}

/** Decides on a locked organization, and mutates the entity. */
type OrganizationRule = (
  organization: OrganizationEntity,
  sql: Sql,
) => OrganizationChange | Promise<OrganizationChange>;

const wasDeleted = statement('organization_was_deleted', 'SELECT FROM erased WHERE hash = $1');

/** An organization with its version, which only its own people see. */
type StoredOrganization = Organization & { version: number };

/**
 * The organizations. A short ID names an issuer, so it is never used twice: of a deleted organization (`holdfast org
 * purge`), `erased` keeps the hash.
 */
@Injectable()
export class Organizations {
  constructor(
    @InjectRepository(OrganizationEntity) private readonly organizations: Repository<OrganizationEntity>,
    private readonly changes: Changes,
  ) {}

  async list(): Promise<Organization[]> {
    return (await this.organizations.find({ order: { shortId: 'ASC' } })).map(toOrganization);
  }

  /** @throws unknown_organization */
  async requireExists(shortId: string): Promise<void> {
    if (!(await this.organizations.existsBy({ shortId }))) throw unknownOrganization(shortId);
  }

  /** @throws conflict when the short ID is taken */
  create(
    context: RequestContext,
    given: Pick<OrganizationEntity, 'shortId' | 'name' | 'rpId' | 'shard'>,
    changes: AuditRecord['changes'],
  ): Promise<Organization> {
    const { shortId } = given;
    return this.changes.commit(context, async (manager) => {
      const organization = manager.create(OrganizationEntity, {
        ...given,
        earlierRpId: null,
        deletesAt: null,
        deleting: false,
        startUrl: null,
        helpUrl: null,
        accentColor: null,
        logoId: null,
        version: 1,
      });
      if ((await sqlOf(manager).rows(wasDeleted, [organizationKey(shortId)])).length > 0) throw shortIdTaken(shortId);
      await manager.insert(OrganizationEntity, organization).catch((error: unknown) => {
        throw violatedUnique(error) === 'organization_pkey' ? shortIdTaken(shortId) : error;
      });
      await insertHubApp(sqlOf(manager), shortId);
      const change = changeOf('organization.created', organization, { action: 'organization.create', changes });
      return { change, reply: toOrganization(organization) };
    });
  }

  /** `changeWith`, with the organization as the reply. @throws unknown_organization */
  change(shortId: string, context: RequestContext, rule: OrganizationRule): Promise<Organization> {
    return this.changeWith(shortId, context, rule, ({ version: _, ...organization }) => organization);
  }

  /**
   * Locks the organization, applies `rule` to it, and commits the row together with its event, its audit record and
   * its access change. @throws unknown_organization
   */
  changeWith<Reply>(
    shortId: string,
    context: RequestContext,
    rule: OrganizationRule,
    reply: (organization: StoredOrganization) => Reply,
    keyed?: KeyedRequest,
  ): Promise<Reply> {
    const work = async (manager: EntityManager) => {
      const organization = await manager.findOne(OrganizationEntity, {
        where: { shortId },
        lock: { mode: 'pessimistic_write' },
      });
      if (!organization) throw unknownOrganization(shortId);
      const change = await rule(organization, sqlOf(manager));
      organization.version += 1;
      await manager.save(organization);
      return {
        change: changeOf('organization.updated', organization, change),
        reply: reply({ ...toOrganization(organization), version: organization.version }),
      };
    };
    return this.changes.commit(context, work, keyed);
  }

  /** @throws unknown_organization */
  async find(shortId: string): Promise<StoredOrganization> {
    const found = await this.organizations.findOneBy({ shortId });
    if (!found) throw unknownOrganization(shortId);
    return { ...toOrganization(found), version: found.version };
  }
}

function changeOf(
  type: 'organization.created' | 'organization.updated',
  { shortId, version }: OrganizationEntity,
  { action, changes }: OrganizationChange,
): Change {
  return {
    org: shortId,
    events: [{ type, version }],
    access: [{ kind: 'organization', id: shortId }],
    action,
    targets: [{ type: 'organization', id: shortId }],
    changes,
  };
}

export function unknownOrganization(shortId: string): AppError {
  return new AppError('unknown_organization', `There is no organization "${shortId}".`);
}

function shortIdTaken(shortId: string): AppError {
  return new AppError('conflict', `There is or was an organization "${shortId}"; a short ID is never used twice.`);
}
