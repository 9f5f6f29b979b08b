import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, FindOptionsOrder, Repository } from 'typeorm';
import type { Action, App, AuditRecord, AuditTarget, RequestContext } from '@holdfast/contracts';
import { violatedUnique } from '@holdfast/data';
import { AppError } from '@holdfast/platform';
import { Changes, type Change } from '../changes/changes.js';
import { AppEntity, toApp } from './app.entity.js';

/** A change of an app, for its event and its audit record. */
export interface AppChange {
  action: Action;
  targets?: AuditTarget[];
  changes?: AuditRecord['changes'];
  /** True when the app has fewer rights afterwards: all access tokens issued before are refused. */
  revokesTokens?: boolean;
}

const oldestFirst: FindOptionsOrder<AppEntity> = { createdAt: 'ASC', clientId: 'ASC' };

@Injectable()
export class Apps {
  constructor(
    @InjectRepository(AppEntity) private readonly apps: Repository<AppEntity>,
    private readonly changes: Changes,
  ) {}

  async list(org: string): Promise<App[]> {
    return (await this.apps.find({ where: { org }, relations: { grants: true }, order: oldestFirst })).map(toApp);
  }

  /** @throws unknown_app */
  async find(clientId: string): Promise<App> {
    return toApp(await findIn(this.apps, clientId));
  }

  /**
   * `storeRelated` inserts the rows that belong to the app in the same transaction.
   * @throws conflict when the name is taken
   */
  create(
    app: AppEntity,
    context: RequestContext,
    storeRelated: (manager: EntityManager) => Promise<Omit<AppChange, 'revokesTokens'>>,
  ): Promise<App> {
    return this.changes.commit(context, async (manager) => {
      await save(manager, app);
      const change = await storeRelated(manager);
      return { change: changeOf('app.created', app, change), reply: toApp(app) };
    });
  }

  /**
   * Locks the app, applies `rule` to it, and commits the row and its grants together with the event, the audit record
   * and the access change. `rule` mutates the entity; it stores other rows through the transaction's manager.
   * @throws unknown_app
   */
  change(
    clientId: string,
    context: RequestContext,
    rule: (app: AppEntity, manager: EntityManager) => AppChange | Promise<AppChange>,
  ): Promise<App> {
    return this.changes.commit(context, async (manager) => {
      await manager.findOne(AppEntity, {
        select: { clientId: true },
        where: { clientId },
        lock: { mode: 'pessimistic_write' },
      });
      // The app is read under the lock: a read before it would miss a grant that a concurrent change has committed.
      const app = await findIn(manager.getRepository(AppEntity), clientId);
      const { revokesTokens = false, ...change } = await rule(app, manager);
      app.version += 1;
      if (revokesTokens) app.minVersion = app.version;
      await save(manager, app);
      return { change: changeOf('app.updated', app, change), reply: toApp(app) };
    });
  }
}

function changeOf(
  type: 'app.created' | 'app.updated',
  { org, clientId, version }: AppEntity,
  { action, targets = [], changes }: Omit<AppChange, 'revokesTokens'>,
): Change {
  return {
    org,
    events: [{ type, app: clientId, version, data: { app: clientId } }],
    access: [{ kind: 'app', id: clientId }],
    action,
    targets: [{ type: 'app', id: clientId }, ...targets],
    changes,
  };
}

/** One statement, so that the app and its grants come from one snapshot. */
async function findIn(apps: Repository<AppEntity>, clientId: string): Promise<AppEntity> {
  const [app] = await apps.find({ where: { clientId }, relations: { grants: true } });
  if (!app) throw new AppError('unknown_app', `There is no app "${clientId}".`);
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
