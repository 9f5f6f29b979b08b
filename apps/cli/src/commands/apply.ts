import { readFile, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { addCommand, type Json } from '../add-command.js';
import { applyFile, type Applied } from '../apply/apply.js';
import { fileOf } from '../apply/object-kinds.js';
import { organizationFileText, parseOrganizationFile } from '../apply/organization-file.js';
import { readState } from '../apply/organization-state.js';
import { textOf } from '../apply/plan.js';
import { CommandError } from '../command-error.js';
import { asOperator } from '../operator-session.js';
import { show } from '../output.js';

export function applyCommand(program: Command): void {
  addCommand(
    program,
    'apply',
    'make an organization as a file declares it: branding, credential types, presence, apps, groups, webhooks. It ' +
      'shows what would change, deletes nothing, and has no secrets',
    ['apply -f acme.yaml', 'apply -f acme.yaml --yes', 'org dump acme | holdfast apply -f -'],
  )
    .requiredOption('-f, --file <file>', 'a file in the form of "holdfast org dump"; - for standard input')
    .option('--yes', 'make the changes', false)
    .action(({ file: path, yes, json }: Json & { file: string; yes: boolean }) =>
      asOperator('apply', async (session) => {
        const file = parseOrganizationFile(await contentOf(path), path === '-' ? 'Standard input' : path);
        const applied = await applyFile(session, file, yes);
        show(applied, json, () => describe(applied));
      }),
    );
}

export function addOrganizationDump(org: Command): void {
  addCommand(
    org,
    'dump <shortId>',
    'print an organization as a file for "holdfast apply", without secrets and people',
    ['org dump acme > acme.yaml', 'org dump acme --out acme.yaml'],
  )
    .option('--out <file>', 'write it to a file')
    .action((shortId: string, { out, json }: Json & { out?: string }) =>
      asOperator('org dump', async (session) => {
        const { organization, ...state } = await readState(session, shortId);
        if (!organization)
          throw new CommandError(`There is no organization "${shortId}". List them: holdfast org list`);
        const file = fileOf({ ...state, organization });
        if (out === undefined) return show(file, json, () => organizationFileText(file).trimEnd());
        await writeFile(out, organizationFileText(file));
        show(file, json, () => `${shortId} is in ${out}.`);
      }),
    );
}

async function contentOf(path: string): Promise<string> {
  if (path === '-') return text(process.stdin);
  return readFile(path, 'utf8').catch((error: Error) => {
    throw new CommandError(`The file cannot be read: ${error.message}`);
  });
}

function describe({ applied, steps, notInFile, next }: Applied): string {
  const lines = steps.flatMap(({ action, object, changes }) => [
    `${action} ${object}`,
    ...changes.map(({ member, from, to }) =>
      action === 'create' ? `  ${member}: ${textOf(to)}` : `  ${member}: ${textOf(from)} → ${textOf(to)}`,
    ),
  ]);
  const others = notInFile.length === 0 ? [] : [`Not in the file, and left as they are: ${notInFile.join(', ')}`];
  const end =
    steps.length === 0
      ? 'Everything is as the file declares it.'
      : applied
        ? `${steps.length} changes were made.`
        : 'Nothing was changed. Add --yes to do it.';
  return [...lines, ...others, ...next, end].join('\n');
}
