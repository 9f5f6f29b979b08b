import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { databaseServices, services, type ServiceName } from '@holdfast/contracts';
import { databasePasswordName, previousName, type Secrets } from '@holdfast/platform-policy';
import { writeWhole } from '../infra/files.ts';

/**
 * Writes the password of each service's database role into a file, and the earlier one beside it during a rotation. All
 * processes read the file of their service for each new connection, so none has to restart.
 * @returns the variable with the path of this service; none for a service without a database
 */
export function passwordFileEnv(folder: string, service: ServiceName, secrets: Secrets): NodeJS.ProcessEnv {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const one of databaseServices) writePasswords(join(folder, one), databasePasswordName(one), secrets);
  return services[service].database ? { DATABASE_PASSWORD_FILE: join(folder, service) } : {};
}

function writePasswords(file: string, name: string, secrets: Secrets): void {
  const previous = secrets[previousName(name)];
  // The earlier one first: until both are there, PostgreSQL may refuse the new one.
  if (previous !== undefined) writeWhole(previousName(file), previous);
  writeWhole(file, secrets[name]!);
  if (previous === undefined) rmSync(previousName(file), { force: true });
}
