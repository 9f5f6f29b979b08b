/** Binds an encrypted personal data key to its row. */
export function personalDataKeyContext(org: string, id: string): string {
  return `audit personal data key ${org}/${id}`;
}

/** Binds the encrypted key of an export to its row. */
export function exportKeyContext(org: string, id: string): string {
  return `audit export key ${org}/${id}`;
}

/** Binds an encrypted record to the table of pending records. */
export const pendingRecordContext = 'audit pending record';
