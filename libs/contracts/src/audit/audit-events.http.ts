import { http } from '../http/forwarded.js';
import { auditEventExample } from './audit-examples.js';
import { getAuditEvent } from './audit.js';

export const auditEventEndpoints = [
  http(getAuditEvent, {
    id: 'getAuditEvent',
    method: 'GET',
    path: '/o/{shortId}/api/admin/audit/events/{id}',
    tag: 'Admin API: audit',
    summary: 'Get an audit event',
    operation: 'audit:read',
    action: 'audit.read',
    response: 'The event',
    example: auditEventExample,
    targets: (_, outcome) => (outcome ? [{ type: 'audit_event', id: outcome.reply.id }] : []),
  }),
];
