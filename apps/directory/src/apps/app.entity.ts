import {
  Column,
  CreateDateColumn,
  DeleteDateColumn,
  Entity,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryColumn,
} from 'typeorm';
import {
  isProgram,
  logoPathOf,
  type App,
  type AppKind,
  type AppRateLimits,
  type Operation,
  type PublicJwk,
} from '@holdfast/contracts';

@Entity('app')
export class AppEntity {
  @PrimaryColumn('text', { name: 'client_id' })
  clientId!: string;

  @Column('text')
  org!: string;

  @Column('text')
  name!: string;

  @Column('text', { name: 'display_name', nullable: true })
  displayName!: string | null;

  @Column('text')
  kind!: AppKind;

  @Column('text')
  audience!: App['audience'];

  @Column('text', { name: 'credential_type', nullable: true })
  credentialType!: string | null;

  @Column('text', { name: 'redirect_uris', array: true })
  redirectUris!: string[];

  @Column('text', { name: 'post_logout_redirect_uris', array: true })
  postLogoutRedirectUris!: string[];

  @Column('text', { array: true })
  origins!: string[];

  @Column('text', { name: 'backchannel_logout_uri', nullable: true })
  backchannelLogoutUri!: string | null;

  @Column('boolean', { name: 'refresh_tokens' })
  refreshTokens!: boolean;

  @Column('boolean', { name: 'device_authorization', default: false })
  deviceAuthorization!: boolean;

  @Column('text')
  pkce!: App['pkce'];

  @Column('text', { name: 'id_token_alg', nullable: true })
  idTokenAlg!: NonNullable<App['idTokenAlg']> | null;

  @Column('text', { name: 'token_endpoint_auth_method', default: 'client_secret_basic' })
  tokenEndpointAuthMethod!: NonNullable<App['tokenEndpointAuthMethod']>;

  @Column('jsonb', { nullable: true })
  jwks!: { keys: PublicJwk[] } | null;

  @Column('text', { name: 'jwks_uri', nullable: true })
  jwksUri!: string | null;

  @Column('boolean', { name: 'require_dpop', default: false })
  requireDpop!: boolean;

  @Column('text', { name: 'access_token_format', default: 'opaque' })
  accessTokenFormat!: NonNullable<App['accessTokenFormat']>;

  @Column('text', { name: 'logo_uri', nullable: true })
  logoUri!: string | null;

  @Column('text', { name: 'help_uri', nullable: true })
  helpUri!: string | null;

  @Column('text', { name: 'start_uri', nullable: true })
  startUri!: string | null;

  /** `#rrggbb`, in small letters. */
  @Column('text', { name: 'accent_color', nullable: true })
  accentColor!: string | null;

  @Column('text', { name: 'logo_id', nullable: true })
  logoId!: string | null;

  /** Null: the quotas of the organization, or of the deployment. */
  @Column('jsonb', { name: 'rate_limits', nullable: true })
  rateLimits!: AppRateLimits | null;

  @Column('boolean', { default: false })
  disabled!: boolean;

  /** Part of Holdfast, such as the client of the hub: nobody changes it through the Admin API. */
  @Column('boolean', { name: 'built_in', default: false })
  builtIn!: boolean;

  /** Client ID of the app that created it; null when people or the operator did. */
  @Column('text', { name: 'created_by', nullable: true })
  createdBy!: string | null;

  /** People or the operator decide its sign-ins now, and the app that created it changes it no more. */
  @Column('boolean', { name: 'taken_over', default: false })
  takenOver!: boolean;

  @Column('date', { name: 'api_version' })
  apiVersion!: string;

  /** Grows with each change: consumers ignore events with an older version than the one that they have. */
  @Column('int', { default: 1 })
  version!: number;

  /** Tokens issued from an older version of the app are refused. */
  @Column('int', { name: 'min_version', default: 0 })
  minVersion!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** TypeORM then finds the row no more. It stays, so that the client ID is never used again. */
  @DeleteDateColumn({ name: 'deleted_at', type: 'timestamptz', precision: 3 })
  deletedAt!: Date | null;

  /** Deleted, with assignments or access requests that a job has not ended yet. */
  @Column('boolean', { default: false })
  ending!: boolean;

  @OneToMany(() => AppGrantEntity, (grant) => grant.app, { cascade: true })
  grants!: AppGrantEntity[];
}

/** One operation granted to an app. The kind is part of the row, so that a constraint can check what is grantable. */
@Entity('app_grant')
export class AppGrantEntity {
  @PrimaryColumn('text', { name: 'client_id' })
  clientId!: string;

  @PrimaryColumn('text')
  operation!: Operation;

  @Column('text')
  kind!: AppKind;

  @ManyToOne(() => AppEntity, (app) => app.grants, { orphanedRowAction: 'delete' })
  @JoinColumn({ name: 'client_id' })
  app?: AppEntity;
}

/** An app as replies need it: an entity, or a row of a statement whose columns are named like the entity's members. */
export type StoredApp = Omit<
  AppEntity,
  'grants' | 'minVersion' | 'logoUri' | 'builtIn' | 'createdBy' | 'takenOver' | 'deletedAt' | 'ending'
> & { grants: Pick<AppGrantEntity, 'operation'>[] };

export function toApp(app: StoredApp): App {
  return {
    clientId: app.clientId,
    org: app.org,
    name: app.name,
    ...(app.displayName !== null && { displayName: app.displayName }),
    kind: app.kind,
    audience: app.audience,
    ...(app.credentialType !== null && { credentialType: app.credentialType }),
    redirectUris: app.redirectUris,
    postLogoutRedirectUris: app.postLogoutRedirectUris,
    origins: app.origins,
    ...(app.backchannelLogoutUri !== null && { backchannelLogoutUri: app.backchannelLogoutUri }),
    refreshTokens: app.refreshTokens,
    ...(app.deviceAuthorization && { deviceAuthorization: true }),
    pkce: app.pkce,
    ...(app.idTokenAlg !== null && { idTokenAlg: app.idTokenAlg }),
    ...(app.accentColor !== null && { accentColor: app.accentColor }),
    ...(app.logoId !== null && { logoPath: logoPathOf(app.org, app.logoId) }),
    ...(app.startUri !== null && { startUri: app.startUri }),
    ...(app.helpUri !== null && { helpUri: app.helpUri }),
    ...(!isPublicClient(app.kind) && { tokenEndpointAuthMethod: app.tokenEndpointAuthMethod }),
    ...(app.jwks !== null && { jwks: app.jwks }),
    ...(app.jwksUri !== null && { jwksUri: app.jwksUri }),
    requireDpop: app.requireDpop,
    ...(!isProgram(app.kind) && { accessTokenFormat: app.accessTokenFormat }),
    scopes: scopesOf(app),
    ...(app.rateLimits !== null && { rateLimits: app.rateLimits }),
    disabled: app.disabled,
    apiVersion: app.apiVersion,
    version: app.version,
    createdAt: app.createdAt.toISOString(),
  };
}

export function scopesOf({ grants }: Pick<StoredApp, 'grants'>): Operation[] {
  return grants.map(({ operation }) => operation).sort();
}

/** Public clients (RFC 6749 §2.1) cannot keep a secret. */
export function isPublicClient(kind: AppKind): boolean {
  return kind === 'spa' || kind === 'native';
}

/** Whether the app authenticates with a client secret. */
export function hasSecret({
  kind,
  tokenEndpointAuthMethod,
}: Pick<AppEntity, 'kind' | 'tokenEndpointAuthMethod'>): boolean {
  return !isPublicClient(kind) && tokenEndpointAuthMethod === 'client_secret_basic';
}
