import { passkeyErrors } from './issuance/passkey-errors.js';
import { sendingErrors } from './signals/sending-errors.js';

/**
 * Every error code with its HTTP status and title (RFC 9457). docs/reference/errors.md is generated from it. A
 * published code keeps its meaning.
 */
export const errorCatalogue = {
  missing_token: {
    status: 401,
    title: 'A bearer token is required',
    help: 'Send `Authorization: Bearer <access token>`; get one at the token endpoint. People sign in to the hub.',
  },
  invalid_token: {
    status: 401,
    title: 'The access token is not valid',
    help: 'It is expired, revoked, damaged or not meant for this API. Get a new one at the token endpoint.',
  },
  invalid_dpop_proof: {
    status: 401,
    title: 'The DPoP proof is not valid',
    help:
      'Send one header `DPoP` with a proof (RFC 9449) of the key to which the token is bound: for this method, ' +
      'address and token, made for this request.',
  },
  use_dpop_nonce: {
    status: 401,
    title: 'The DPoP proof needs a nonce',
    help: 'Make a new proof with the nonce from the header `DPoP-Nonce` of this response.',
  },
  wrong_organization: {
    status: 403,
    title: 'The token belongs to another organization',
    help: "Use your own organization's short ID in the path.",
  },
  insufficient_scope: {
    status: 403,
    title: 'The token lacks the scope for this operation',
    help: 'Request a token with the scope named in `WWW-Authenticate`; the app must have been granted it.',
  },
  step_up_required: {
    status: 401,
    title: 'A more recent sign-in is required',
    help:
      'This change widens rights. Sign in to the hub again with the `max_age` of `WWW-Authenticate`, then ' +
      'repeat it.',
  },
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    help:
      '`errors` locates each invalid member, parameter or header. 400 when the request cannot be parsed, 422 ' +
      'when it parses and is not acceptable.',
  },
  invalid_page_token: {
    status: 400,
    title: 'The page token is not valid',
    help: 'Pass `nextPageToken` unchanged, with the same filters and the same app; otherwise start again without it.',
  },
  page_token_expired: {
    status: 410,
    title: 'The event feed no longer reaches back to this page token',
    help:
      'Events are kept for at least 30 days. Read the current state from the API, then start again ' +
      'without `next_page_token`.',
  },
  not_found: {
    status: 404,
    title: 'There is nothing at this address',
    help: 'Check the path against the API reference at /docs.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This address does not support the method',
    help: '`Allow` lists the methods it supports.',
  },
  unknown_subject: {
    status: 404,
    title: 'The calling app made no offer to this subject',
    help: 'Use a `subject` that an offer of this app returned, and that has not been erased.',
  },
  unknown_offer: {
    status: 404,
    title: 'The calling app made no such offer',
    help: 'Use an `offerId` that an offer of this app returned.',
  },
  unknown_credential: {
    status: 404,
    title: 'The calling app issued no such credential',
    help: 'Use the `id` of a credential of one of your own customers.',
  },
  unknown_user: {
    status: 404,
    title: 'The organization has no such person',
    help: 'Use the `id` of a person of this organization who has not been removed.',
  },
  unknown_passkey: {
    status: 404,
    title: 'There is no such passkey',
    help: 'List the passkeys of the person, or of the account, and use the `id` of one of them.',
  },
  insufficient_role: {
    status: 403,
    title: 'The roles of the caller do not allow this',
    help:
      'Only owners may give the role owner, or change, deactivate, remove or recover an owner; nobody may give ' +
      'themselves a role.',
  },
  last_owner: {
    status: 409,
    title: 'The organization would have no active owner',
    help: 'Give the role owner to another active person first.',
  },
  unknown_invitation: {
    status: 404,
    title: 'This link invites nobody here',
    help: 'It is damaged, belongs to another organization, or the person was removed. Ask for a new one.',
  },
  invitation_accepted: {
    status: 410,
    title: 'This invitation has been accepted',
    help: 'Sign in with the passkey. If somebody else accepted it, the organization can deactivate the account.',
  },
  invitation_expired: {
    status: 410,
    title: 'This invitation has expired',
    help: 'Ask the organization for a new one.',
  },
  invitation_withdrawn: {
    status: 410,
    title: 'This invitation was withdrawn',
    help: 'The organization withdrew the link or replaced it by a later one.',
  },
  unknown_event: {
    status: 404,
    title: 'There is no such audit event',
    help: 'Use the `id` of an event of this organization.',
  },
  ...sendingErrors,
  unknown_export: {
    status: 404,
    title: 'There is no such export',
    help: 'Use the `id` of an export of this organization.',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'The file has no such range',
    help: '`Content-Range` has the size of the file. Without `Range` you get all of it.',
  },
  unknown_checkpoint: {
    status: 404,
    title: 'There is no cosigned checkpoint of this log',
    help:
      'Without `cosigned`, the newest checkpoint is returned. Witnesses cosign one within some minutes, if the ' +
      'operator has configured any.',
  },
  unknown_tile: {
    status: 404,
    title: 'The log has no such tile',
    help: 'A tile exists once the log is long enough; its width must not exceed what the newest checkpoint holds.',
  },
  ...passkeyErrors,
  cross_site_request: {
    status: 403,
    title: 'The request came from another site',
    help: 'Only our own pages may send this; programs send no `Origin`.',
  },
  rate_limited: { status: 429, title: 'Too many requests', help: 'Wait for `Retry-After`.' },
  unknown_organization: {
    status: 404,
    title: 'There is no such organization',
    help: 'List the organizations with `holdfast org list`.',
  },
  unknown_app: {
    status: 404,
    title: 'There is no such app',
    help: 'List the apps of your organization: `GET …/api/admin/apps`, or `holdfast app list <organization>`.',
  },
  unknown_secret: {
    status: 404,
    title: 'The app has no such client secret',
    help: 'List its secrets: `GET …/api/admin/apps/{clientId}/secrets`, or `holdfast secret list <clientId>`.',
  },
  app_protected: {
    status: 403,
    title: 'The caller may not do this to this app',
    help:
      'Programs do not change service apps, apps that hold a scope, or themselves, and create client secrets only ' +
      'for apps that they made. A person with the right to manage grants does it, or the operator.',
  },
  limit_reached: {
    status: 409,
    title: 'The organization has as many of these as it may have',
    help: 'Delete one that is no longer used, or ask the operator for a higher limit.',
  },
  precondition_failed: {
    status: 412,
    title: 'The object has changed since it was read',
    help: 'Read it again, decide again, and send the change with its new `ETag` in `If-Match`.',
  },
  unknown_credential_type: {
    status: 422,
    title: 'The organization has no such credential type',
    help: 'Leave `credentialType` out for the default type, or name one that exists.',
  },
  unknown_group: {
    status: 404,
    title: 'There is no such group',
    help: 'Use the `id` of a group of the organization that has not been deleted.',
  },
  unknown_access_request: {
    status: 404,
    title: 'There is no such access request',
    help: 'Use the `id` of an access request of the organization; people withdraw only their own.',
  },
  own_request: {
    status: 403,
    title: 'Nobody decides their own access request',
    help: 'Somebody else approves or denies it; withdraw it to take it back.',
  },
  unknown_assignment: {
    status: 404,
    title: 'The app has no such assignment',
    help: 'Use the `id` of an assignment of this app that has not ended.',
  },
  not_grantable: {
    status: 422,
    title: 'The operation cannot be granted to this app',
    help:
      'Customer scopes go to web and service apps, Admin API operations to service apps; roles, billing ' +
      'and the vault are for people only.',
  },
  presence_required: {
    status: 422,
    title: 'A proof of presence is required',
    help: 'The organization accepts no offer without `presence`: send the value of the widget on the sign-up form.',
  },
  presence_invalid: {
    status: 422,
    title: 'The proof of presence is not valid',
    help: 'It is damaged, or was made for another organization or app. Let the visitor solve a new challenge.',
  },
  presence_expired: {
    status: 422,
    title: 'The proof of presence has expired',
    help: 'Let the visitor solve a new challenge.',
  },
  presence_replayed: {
    status: 422,
    title: 'The proof of presence has been used',
    help: 'Each is good for one offer. Let the visitor solve a new challenge.',
  },
  presence_unavailable: {
    status: 503,
    title: 'The proof of presence cannot be verified right now',
    help:
      'The presence provider does not respond, or not as documented. No offer was made: try again with ' +
      'the same proof.',
  },
  not_revocable: { status: 409, title: 'The credential is not revocable', help: 'It ends when it expires.' },
  invalid_state: {
    status: 409,
    title: 'The state of the object does not allow this',
    help: '`detail` names the state it is in.',
  },
  conflict: { status: 409, title: 'The request conflicts with what is stored', help: '`detail` says with what.' },
  idempotency_mismatch: {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    help: 'Use a new key for a new request.',
  },
  idempotency_in_progress: {
    status: 409,
    title: 'A request with this Idempotency-Key is still running',
    help: 'Wait for `Retry-After`, then send it again unchanged.',
  },
  payload_too_large: { status: 413, title: 'The request is too large', help: 'Bodies may have 100 kB.' },
  request_timeout: {
    status: 408,
    title: 'The request did not arrive in time',
    help: 'Send headers and body without pauses, and repeat the request on a new connection.',
  },
  client_closed_request: {
    status: 499,
    title: 'The client closed the connection before its request had arrived',
    help: 'No client receives this response: it appears in audit records and metrics. Nothing was changed.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The content type is not supported',
    help: 'Send JSON as `application/json`, and forms of OAuth as `application/x-www-form-urlencoded`.',
  },
  unavailable: {
    status: 503,
    title: 'This cannot be answered right now',
    help: 'Try again after `Retry-After`. A change may have been made: ' + 'repeat it with the same Idempotency-Key.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong on our side',
    help: 'The log has the details under the request id.',
  },
} as const satisfies Record<string, { status: number; title: string; help: string }>;

export type ErrorCode = keyof typeof errorCatalogue;
