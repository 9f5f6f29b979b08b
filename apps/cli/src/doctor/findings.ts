import { doctorConfig } from '../config.js';
import { busFindings } from './bus.js';
import { databaseFindings } from './database.js';
import type { Finding } from './finding.js';
import { streamFindings } from './streams.js';

/** Everything that `holdfast doctor` checks. */
export async function doctorFindings(): Promise<Finding[]> {
  const { databases, deploySeed } = doctorConfig();
  return (await Promise.all([busFindings(), streamFindings(deploySeed), databaseFindings(databases)])).flat();
}
