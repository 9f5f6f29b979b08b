export { passkeyExample } from '../directory/person-passkeys.http.js';
export { streamExample, streamTarget } from '../signals/ssf.http.js';
export { webhookKeyExample } from '../signals/webhooks.http.js';
export * from './endpoint.js';
export * from './forwarded.js';
export * from './paging.js';
export * from './endpoints.js';
export * from './targets.js';
export * as auditExamples from '../audit/audit-examples.js';
