import type { AuditRecord } from '@holdfast/contracts';

/**
 * What a row holds; undefined when that is not the record that it is kept under, so that nobody could find the row by
 * it.
 */
export function recordIn(text: string, id: string): AuditRecord | undefined {
  try {
    const record = JSON.parse(text) as AuditRecord | null;
    return record?.id === id ? record : undefined;
  } catch {
    return undefined;
  }
}
