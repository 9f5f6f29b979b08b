import type { AuditTarget, Group } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';

export interface GroupRow {
  id: string;
  name: string;
  nameKey: string;
  description: string | null;
  createdAt: Date;
}

export const groupColumns = 'id, name, name_key AS "nameKey", description, created_at AS "createdAt"';

export function toGroup({ id, name, description, createdAt }: GroupRow): Group {
  return { id, name, ...(description !== null && { description }), createdAt: createdAt.toISOString() };
}

export const groupTarget = (id: string): AuditTarget => ({ type: 'group', id });
export const personTarget = (id: string): AuditTarget => ({ type: 'person', id, dataSubject: id });

export function unknownGroup(): AppError {
  return new AppError('unknown_group');
}
