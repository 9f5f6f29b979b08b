export type { Schemas } from '@holdfast/api-client';
export type { CallOptions, CallParameters, CallResult } from './call-types.js';
export type { Calls } from './calls.js';
export { eachItem } from './each-item.js';
export {
  ApiError,
  HoldfastError,
  UnavailableError,
  VerificationError,
  type ErrorCode,
  type Problem,
} from './errors.js';
export { followEvents, type CursorStore, type FollowOptions, type HoldfastEvent } from './follow-events.js';
export { holdfastClient, type Holdfast, type HoldfastOptions } from './holdfast-client.js';
export { offerInBulk, type BulkAccount, type BulkOptions } from './offer-in-bulk.js';
export { TokenVerifier, type EndedSession, type SecurityEvent, type TokenVerifierOptions } from './verify-tokens.js';
export { verifyWebhook, type WebhookEvent, type WebhookKeys } from './verify-webhook.js';
