import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Not, type EntityManager, type Repository } from 'typeorm';
import type { CredentialType, RequestContext } from '@holdfast/contracts';
import { sqlOf, takeLock } from '@holdfast/data';
import { AppError, ConfigurationCache, unprocessable } from '@holdfast/platform';
import { differences, Settings, type SettingChange } from '../settings/settings.js';
import { columnsOf, CredentialTypeEntity, firstType, toCredentialType } from './credential-type.entity.js';

/** The credential types of organizations. Their changes keep exactly one default type for each organization. */
@Injectable()
export class CredentialTypes {
  private readonly cache = new ConfigurationCache<CredentialType[]>();

  constructor(
    @InjectRepository(CredentialTypeEntity) private readonly types: Repository<CredentialTypeEntity>,
    private readonly settings: Settings,
  ) {}

  /**
   * The named type, or the organization's default, from the cache.
   * @throws AppError unknown_credential_type
   */
  async find(org: string, name?: string): Promise<CredentialType> {
    const matches = (type: CredentialType) => (name === undefined ? type.isDefault : type.name === name);
    const found = this.cache.get(org)?.find(matches) ?? (await this.list(org)).find(matches);
    if (found) return found;
    if (name === undefined)
      throw unprocessable([
        { pointer: '#/credentialType', detail: 'is needed: the organization has no default credential type' },
      ]);
    throw new AppError('unknown_credential_type', `There is no credential type "${name}".`, {
      errors: [{ pointer: '#/credentialType', detail: 'is not a credential type of this organization' }],
    });
  }

  /** All types, from the cache. */
  async all(org: string): Promise<readonly CredentialType[]> {
    return this.cache.get(org) ?? this.list(org);
  }

  /** All types, the oldest first, from the database. */
  async list(org: string): Promise<CredentialType[]> {
    let types = await this.stored(org);
    if (types.length === 0) {
      await addFirstType(this.types.manager, org);
      types = await this.stored(org);
    }
    this.cache.set(org, types);
    return types;
  }

  /** @throws AppError conflict when the organization has a type of this name */
  create(context: RequestContext, type: CredentialType): Promise<CredentialType> {
    return this.change(context, async (manager) => {
      const { org } = context;
      const { name } = type;
      if (await manager.existsBy(CredentialTypeEntity, { org, name }))
        throw new AppError(
          'conflict',
          `${org} has a credential type "${name}" already; names are permanent, so change it or choose another name.`,
        );
      const demoted = type.isDefault ? await demoteOthers(manager, org, name) : [];
      await manager.insert(CredentialTypeEntity, { org, ...columnsOf(type), version: 1 });
      const created = {
        type: 'credential_type.created' as const,
        setting: settingOf(name),
        version: 1,
        audited: {
          action: 'credential_type.create' as const,
          targets: [{ type: 'credential_type' as const, id: name }],
          changes: differences({}, type),
        },
      };
      return { changes: [created, ...demoted], reply: type };
    });
  }

  /** Replaces the terms of a type by what `rule` makes of them. @throws AppError unknown_credential_type */
  update(
    context: RequestContext,
    name: string,
    rule: (before: CredentialType) => CredentialType,
  ): Promise<CredentialType> {
    return this.change(context, async (manager) => {
      const { org } = context;
      const entity = await manager.findOneBy(CredentialTypeEntity, { org, name });
      if (!entity) throw new AppError('unknown_credential_type', `${org} has no credential type "${name}".`);
      const before = toCredentialType(entity);
      const after = rule(before);
      const demoted = after.isDefault ? await demoteOthers(manager, org, name) : [];
      const version = entity.version + 1;
      await manager.update(CredentialTypeEntity, { org, name }, { ...columnsOf(after), version });
      const updated = {
        type: 'credential_type.updated' as const,
        setting: settingOf(name),
        version,
        audited: {
          action: 'credential_type.update' as const,
          targets: [{ type: 'credential_type' as const, id: name }],
          changes: differences(before, after),
        },
      };
      return { changes: [updated, ...demoted], reply: after };
    });
  }

  private async change(
    context: RequestContext,
    work: (manager: EntityManager) => Promise<{ changes: SettingChange[]; reply: CredentialType }>,
  ): Promise<CredentialType> {
    const { org } = context;
    const reply = await this.settings.commit(context, async (manager) => {
      // Changes of one organization's types are serialized: together they keep exactly one default.
      await takeLock(sqlOf(manager), `credential types ${org}`);
      // The first type is created when it is first needed. It must not come after this change, as a second default.
      await addFirstType(manager, org);
      return work(manager);
    });
    this.cache.delete(org);
    return reply;
  }

  private async stored(org: string): Promise<CredentialType[]> {
    const entities = await this.types.find({ where: { org }, order: { createdAt: 'ASC', name: 'ASC' } });
    return entities.map(toCredentialType);
  }
}

/** Every organization starts with one type (product §5). Does nothing when the type exists. */
async function addFirstType(manager: EntityManager, org: string): Promise<void> {
  await manager
    .createQueryBuilder()
    .insert()
    .into(CredentialTypeEntity)
    .values({ org, ...columnsOf(firstType) })
    .orIgnore()
    .updateEntity(false)
    .execute();
}

/** Makes every other type a type that is not the default. Each of them has changed too, with an event of its own. */
async function demoteOthers(manager: EntityManager, org: string, name: string): Promise<SettingChange[]> {
  const others = await manager.findBy(CredentialTypeEntity, { org, isDefault: true, name: Not(name) });
  const changes: SettingChange[] = [];
  for (const other of others) {
    const version = other.version + 1;
    await manager.update(CredentialTypeEntity, { org, name: other.name }, { isDefault: false, version });
    changes.push({ type: 'credential_type.updated', setting: settingOf(other.name), version });
  }
  return changes;
}

function settingOf(name: string): string {
  return `credential_type/${name}`;
}
