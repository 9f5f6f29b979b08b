import type { AuditTarget } from '@holdfast/contracts';

export function appTarget(clientId: string): AuditTarget {
  return { type: 'app', id: clientId };
}
