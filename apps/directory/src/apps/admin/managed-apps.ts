import { Injectable } from '@nestjs/common';
import type { AppRight, ManagedApp, RequestContext } from '@holdfast/contracts';
import type { KeyedRequest } from '@holdfast/outbox';
import { AppError } from '@holdfast/platform';
import { scopesOf, toApp, type AppEntity } from '../app.entity.js';
import { Apps, unknownApp, type AppRule } from '../apps.js';
import { refusalOf, type AppAct, type AppManager, type ProtectedApp } from './app-protection.js';

/** Of a request that changes an app. */
export interface ManagedRequest {
  clientId: string;
  right: AppRight;
  /** Versions of `If-Match`; any when absent. */
  ifVersions?: number[] | undefined;
  mayManageGrants: boolean;
}

/** Changes of apps through the Admin API: only of the caller's organization, and only those that product §4 allows. */
@Injectable()
export class ManagedApps {
  constructor(private readonly apps: Apps) {}

  /** @throws unknown_app, app_protected, precondition_failed */
  change<Reply>(
    act: AppAct,
    request: ManagedRequest,
    context: RequestContext,
    rule: AppRule,
    reply: (app: AppEntity) => Reply,
    keyed?: KeyedRequest,
  ): Promise<Reply> {
    const allowed: AppRule = (app, manager) => {
      requireAllowed(act, request, context, app);
      return rule(app, manager);
    };
    return this.apps.changeWith(request, context, allowed, reply, keyed);
  }

  /** @throws unknown_app, app_protected, precondition_failed */
  delete(request: ManagedRequest, context: RequestContext, keyed?: KeyedRequest): Promise<Record<string, never>> {
    const check = (app: AppEntity) => requireAllowed('delete', request, context, app);
    return this.apps.delete(request, context, check, keyed);
  }
}

/** The app is unknown to another organization before anything else: a refusal would tell that it exists. */
function requireAllowed(act: AppAct, request: ManagedRequest, context: RequestContext, app: AppEntity): void {
  const { clientId, ifVersions } = request;
  if (app.org !== context.org || !isManagedBy(app, request)) throw unknownApp(clientId);
  requireUnprotected(context, request, { ...app, scopes: scopesOf(app) }, act);
  if (ifVersions && !ifVersions.includes(app.version))
    throw new AppError('precondition_failed', `The app has version ${app.version} now.`, {
      targets: [{ type: 'app', id: clientId }],
    });
}

/** @throws app_protected, with the app as the target of the audit record */
export function requireUnprotected(
  { actor }: RequestContext,
  by: Pick<AppManager, 'mayManageGrants' | 'right'>,
  app: Omit<ProtectedApp, 'clientId'> & { clientId?: string },
  act: AppAct,
): void {
  const { clientId = '' } = app;
  const refusal = refusalOf(callerOf(actor, by), { ...app, clientId }, act);
  if (refusal !== undefined)
    throw new AppError('app_protected', refusal, { ...(clientId && { targets: [{ type: 'app', id: clientId }] }) });
}

/** Nobody but a person manages grants, whatever the request says. Anything else than a person counts as a program. */
function callerOf(
  { type, id }: RequestContext['actor'],
  { mayManageGrants, right }: Pick<AppManager, 'mayManageGrants' | 'right'>,
): AppManager {
  return type === 'person'
    ? { type, mayManageGrants, right }
    : { type: 'app', clientId: id, mayManageGrants: false, right };
}

/** @throws unknown_app when this right does not reach the app */
export function requireManaged(app: AppEntity, right: AppRight): AppEntity {
  if (!isManagedBy(app, { right })) throw unknownApp(app.clientId);
  return app;
}

/** Whether the app is one that this right reaches at all. */
function isManagedBy({ kind }: Pick<AppEntity, 'kind'>, { right }: Pick<AppManager, 'right'>): boolean {
  return right === 'apps:manage' || kind === 'receiver';
}

/** The app as the Admin API shows it. */
export function toManagedApp(entity: AppEntity): ManagedApp {
  // Nobody in the organization sets its quotas; responses to the app name them.
  const { org: _, rateLimits: __, disabled, ...app } = toApp(entity);
  const { logoUri, builtIn, createdBy } = entity;
  return {
    ...app,
    status: disabled ? 'disabled' : 'enabled',
    ...(logoUri !== null && { logoUri }),
    ...(builtIn && { builtIn }),
    ...(createdBy !== null && { createdBy }),
  };
}

/** The client ID under which an app or secret is stored as created; null when a person creates it. */
export function creatorOf({ actor }: RequestContext): string | null {
  return actor.type === 'app' ? actor.id : null;
}
