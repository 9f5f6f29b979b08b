import type { Command } from 'commander';
import { addOrganizationDump } from './apply.js';
import { addOrganizationDeletion } from './organization-deletion.js';
import { addOrganizationFiles } from './organization-files.js';
import { addOrganizationMove } from './organization-move.js';

/** The commands of `org` that read or write all that an organization has. They need a quarter of all modules. */
export function wholeOrganizationCommands(program: Command): void {
  const org = program.commands.find((command) => command.name() === 'org')!;
  addOrganizationMove(org);
  addOrganizationDump(org);
  addOrganizationDeletion(org);
  addOrganizationFiles(org);
}
