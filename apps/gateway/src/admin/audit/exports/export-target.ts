import type { AuditTarget } from '@holdfast/contracts';

export const exportTarget = (id: string): AuditTarget => ({ type: 'audit_export', id });
