import { statement, takeLock, type Sql } from '@holdfast/data';
import type { SettingChange } from '../settings/settings.js';

const demote = statement(
  'type_demote',
  'UPDATE credential_type SET is_default = false, version = version + 1 WHERE org = $1 AND is_default AND name <> $2 RETURNING name, version',
);

/** Changes of one organization's types follow each other: together they keep exactly one default. */
export async function lockTypes(sql: Sql, org: string): Promise<void> {
  await takeLock(sql, `credential types ${org}`);
}

/** Takes the place of the default type of before, which has changed too then. */
export async function demoteOthers(sql: Sql, org: string, name: string): Promise<SettingChange[]> {
  const demoted = await sql.rows<{ name: string; version: number }>(demote, [org, name]);
  return demoted.map(({ name, version }) => ({ type: 'credential_type.updated', setting: settingOf(name), version }));
}

export function settingOf(name: string): string {
  return `credential_type/${name}`;
}
