import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type EntityManager, type FindOptionsOrder, type Repository } from 'typeorm';
import {
  scopesOfKind,
  type Action,
  type App,
  type AppRight,
  type AuditRecord,
  type AuditTarget,
  type RequestContext,
} from '@holdfast/contracts';
import { sqlOf, statement, violatedUnique, type Sql } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import { AppError } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { Changes, type Change, type ChangeEvent } from '../changes/changes.js';
import type { Config } from '../config.js';
import { storeLogo } from './app-branding.js';
import { AppEntity, AppGrantEntity, scopesOf, toApp } from './app.entity.js';
import { endMade, requireManager, rightsToMake, type EndedApps } from './made-apps.js';
import { requireOwnName } from './names/own-name.js';
import { AppSecretEntity } from './secrets/app-secret.entity.js';

/** A change of an app, for its event and its audit record. */
export interface AppChange {
  action: Action;
  targets?: AuditTarget[];
  changes?: AuditRecord['changes'];
  /** True when the app has fewer rights afterwards: all access tokens issued before are refused. */
  revokesTokens?: boolean;
  /** True when people or the operator who do this to an app that a program made take it over from the program. */
  takesOver?: boolean;
}

/** Decides on a locked app: it mutates the entity and stores other rows through the transaction's manager. */
export type AppRule = (app: AppEntity, manager: EntityManager) => AppChange | Promise<AppChange>;

// The lock lets no two requests pass the limit together. It does not wait for rows that refer to the organization.
const lockOrganization = statement(
  'app_limit_lock',
  'SELECT 1 FROM organization WHERE short_id = $1 FOR NO KEY UPDATE',
);
const count = statement(
  'app_count',
  'SELECT count(*)::int AS count FROM app WHERE org = $1 AND deleted_at IS NULL AND NOT built_in',
);

const newestFirst: FindOptionsOrder<AppEntity> = { createdAt: 'DESC', clientId: 'DESC' };
const oldestFirst: FindOptionsOrder<AppEntity> = { createdAt: 'ASC', clientId: 'ASC' };

/** An app, and by which operation it is managed: a program must hold it now. */
interface ReachedApp {
  clientId: string;
  right: AppRight;
}

@Injectable()
export class Apps {
  constructor(
    @InjectRepository(AppEntity) private readonly apps: Repository<AppEntity>,
    private readonly changes: Changes,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async list(org: string): Promise<App[]> {
    return (await this.apps.find({ where: { org }, relations: { grants: true }, order: oldestFirst })).map(toApp);
  }

  /** @throws unknown_app */
  async find(clientId: string): Promise<App> {
    return toApp(await findIn(this.apps, clientId));
  }

  /** These apps, newest first. */
  findAll(clientIds: string[]): Promise<AppEntity[]> {
    return this.apps.find({ where: { clientId: In(clientIds) }, relations: { grants: true }, order: newestFirst });
  }

  /** An app of the organization. @throws unknown_app */
  async findOf(org: string, clientId: string): Promise<AppEntity> {
    const app = await findIn(this.apps, clientId);
    if (app.org !== org) throw unknownApp(clientId);
    return app;
  }

  /**
   * `storeRelated` inserts the rows that belong to the app in the same transaction, and returns the reply.
   * @throws conflict when the name is taken, limit_reached
   */
  create<Reply>(
    app: AppEntity,
    context: RequestContext,
    storeRelated: (manager: EntityManager) => Promise<{ change: AppChange; reply: Reply }>,
    keyed?: KeyedRequest,
  ): Promise<Reply> {
    return this.changes.commit(
      context,
      async (manager) => {
        const sql = sqlOf(manager);
        await this.requireRoom(sql, app.org);
        await requireManager(sql, context, app.kind === 'receiver' ? 'ssf:manage' : 'apps:manage');
        await requireOwnName(sql, context, app);
        await save(manager, app);
        const { change, reply } = await storeRelated(manager);
        return { change: changeOf('app.created', app, change), reply };
      },
      keyed,
    );
  }

  /** `changeWith`, with the app as the reply. @throws unknown_app */
  change(clientId: string, context: RequestContext, rule: AppRule): Promise<App> {
    return this.changeWith({ clientId, right: 'apps:manage' }, context, rule, toApp);
  }

  /**
   * Locks the app, applies `rule` to it, and commits the row and its grants together with the event, the audit record
   * and the access change.
   * @throws unknown_app
   */
  changeWith<Reply>(
    { clientId, right }: ReachedApp,
    context: RequestContext,
    rule: AppRule,
    reply: (app: AppEntity) => Reply,
    keyed?: KeyedRequest,
  ): Promise<Reply> {
    return this.changes.commit(
      context,
      async (manager) => {
        const sql = sqlOf(manager);
        // Before the app, as in `create`: it may get another name.
        if (context.actor.type === 'app') await sql.rows(lockOrganization, [context.org]);
        await requireManager(sql, context, right, clientId);
        const app = await locked(manager, clientId);
        const { name, displayName } = app;
        const rights = rightsToMake(app);
        const { revokesTokens = false, takesOver = false, ...change } = await rule(app, manager);
        app.version += 1;
        if (revokesTokens) app.minVersion = app.version;
        if (takesOver && context.actor.type !== 'app') app.takenOver = true;
        if (app.name !== name || app.displayName !== displayName) await requireOwnName(sql, context, app);
        await save(manager, app);
        const remaining = rightsToMake(app);
        const lost = rights.filter((known) => !remaining.includes(known));
        const ended = await endMade(sql, app, lost);
        return { change: changeOf('app.updated', app, change, ended, revokesTokens), reply: reply(app) };
      },
      keyed,
    );
  }

  /**
   * Deletes the app with its grants and secrets. A row without settings stays: its client ID is never used again, the
   * revocation feed reports the app as disabled, and a job ends its assignments and pending access requests. `check`
   * denies the request by throwing.
   * @throws unknown_app
   */
  delete(
    { clientId, right }: ReachedApp,
    context: RequestContext,
    check: (app: AppEntity) => void,
    keyed?: KeyedRequest,
  ): Promise<Record<string, never>> {
    return this.changes.commit(
      context,
      async (manager) => {
        await requireManager(sqlOf(manager), context, right, clientId);
        const app = await locked(manager, clientId);
        check(app);
        const changes = { name: { from: app.name }, scopes: { from: scopesOf(app) } };
        await manager.delete(AppSecretEntity, { clientId });
        await manager.delete(AppGrantEntity, { clientId });
        await storeLogo(sqlOf(manager), app, null);
        const version = app.version + 1;
        await manager.update(
          AppEntity,
          { clientId },
          { ...withoutSettings, version, minVersion: version, deletedAt: () => 'clock_timestamp()' },
        );
        const ended = await endMade(sqlOf(manager), app, rightsToMake(app));
        const change = changeOf('app.deleted', { ...app, version }, { action: 'app.delete', changes }, ended, true);
        return { change, reply: {} };
      },
      keyed,
    );
  }

  private async requireRoom(sql: Sql, org: string): Promise<void> {
    await sql.rows(lockOrganization, [org]);
    const [{ count: apps } = { count: 0 }] = await sql.rows<{ count: number }>(count, [org]);
    const max = this.config.APPS_PER_ORGANIZATION;
    if (apps >= max) throw new AppError('limit_reached', `The organization has ${apps} apps, and may have ${max}.`);
  }
}

/** A deleted app signs nobody in, and nothing is kept that it was configured with. */
const withoutSettings = {
  ending: true,
  disabled: true,
  displayName: null,
  redirectUris: [] as string[],
  postLogoutRedirectUris: [] as string[],
  origins: [] as string[],
  backchannelLogoutUri: null,
  logoUri: null,
  helpUri: null,
  startUri: null,
  accentColor: null,
  logoId: null,
  tokenEndpointAuthMethod: 'client_secret_basic',
  jwks: null,
  jwksUri: null,
  rateLimits: null,
} as const;

/** The app is read under the lock: a read before it would miss a grant that a concurrent change has committed. */
async function locked(manager: EntityManager, clientId: string): Promise<AppEntity> {
  await manager.findOne(AppEntity, {
    select: { clientId: true },
    where: { clientId },
    lock: { mode: 'pessimistic_write' },
  });
  return findIn(manager.getRepository(AppEntity), clientId);
}

function changeOf(
  type: 'app.created' | 'app.updated' | 'app.deleted',
  app: Pick<AppEntity, 'org' | 'clientId' | 'version' | 'disabled' | 'grants' | 'kind'>,
  { action, targets = [], changes }: Omit<AppChange, 'revokesTokens' | 'takesOver'>,
  ended: EndedApps = { apps: [], changes: {} },
  losesRights = false,
): Change {
  const { org, clientId, version } = app;
  // What the app prepared ends with its rights, wherever it is stored (product §4).
  const operations = app.disabled || type === 'app.deleted' ? [] : [...scopesOfKind(app.kind), ...scopesOf(app)];
  const own = { type, app: clientId, version, ...(losesRights && { operations }), data: { app: clientId } };
  const [first = own, ...others] = ended.apps.map((made): ChangeEvent => ({
    type: 'app.updated',
    app: made.clientId,
    version: made.version,
    operations: [],
    data: { app: made.clientId },
  }));
  return {
    org,
    events: ended.apps.length === 0 ? [own] : [first, ...others, own],
    access: [clientId, ...ended.apps.map((made) => made.clientId)].map((id) => ({ kind: 'app', id })),
    action,
    targets: [{ type: 'app', id: clientId }, ...targets],
    changes: { ...changes, ...ended.changes },
  };
}

export function unknownApp(clientId: string): AppError {
  return new AppError('unknown_app', `There is no app "${clientId}".`);
}

/** One statement, so that the app and its grants come from one snapshot. */
async function findIn(apps: Repository<AppEntity>, clientId: string): Promise<AppEntity> {
  const [app] = await apps.find({ where: { clientId }, relations: { grants: true } });
  if (!app) throw unknownApp(clientId);
  return app;
}

async function save(manager: EntityManager, app: AppEntity): Promise<void> {
  try {
    await manager.save(app);
  } catch (error) {
    if (violatedUnique(error) !== 'app_name') throw error;
    throw new AppError('conflict', `${app.org} has an app "${app.name}" already; choose another name.`);
  }
}
