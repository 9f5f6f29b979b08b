import { Command } from 'commander';
import { accessRequestCommands } from './commands/access-requests.js';
import { analyticsCommands } from './commands/analytics.js';
import { applyCommand } from './commands/apply.js';
import { appCommands } from './commands/apps.js';
import { assignmentCommands } from './commands/assignments.js';
import { auditPartitionCommands } from './commands/audit-partitions.js';
import { auditCommands } from './commands/audit.js';
import { busCommands } from './commands/bus.js';
import { databaseRewriteCommand } from './commands/database-rewrite.js';
import { databaseCommands } from './commands/database.js';
import { demoCommands } from './commands/demo.js';
import { deploymentSecretCommands } from './commands/deployment-secrets.js';
import { doctorCommand } from './commands/doctor.js';
import { eventCommands } from './commands/events.js';
import { explainCommand } from './commands/explain.js';
import { grantCommands } from './commands/grants.js';
import { groupCommands } from './commands/groups.js';
import { keyCommands } from './commands/keys.js';
import { offerCommands } from './commands/offers.js';
import { organizationCommands } from './commands/organizations.js';
import { personCommands } from './commands/people.js';
import { presenceCommands } from './commands/presence.js';
import { restoreCommands } from './commands/restore.js';
import { secretRotationCommands } from './commands/secret-rotation.js';
import { secretCommands } from './commands/secrets.js';
import { signAgainCommand } from './commands/sign-again.js';
import { smokeCommand } from './commands/smoke.js';
import { ssfCommands } from './commands/ssf.js';
import { supportBundleCommand } from './commands/support-bundle.js';
import { typeCommands } from './commands/types.js';
import { webhookCommands } from './commands/webhooks.js';

const examples = `
Services of the local stack:
  holdfast service list | start <name> | stop <name>

Examples:
  holdfast org create acme --name "Acme Ltd"
  holdfast type create acme day-pass --validity PT24H --no-revocable
  holdfast app create acme --name shop --kind web --redirect-uri https://shop.example/callback --grant offers:write
  holdfast secret create app_2Vw…
  holdfast app disable app_2Vw…

Exit codes: 0 done, 1 denied or failed, 2 invalid arguments.`;

/** Throws CommanderError instead of exiting. */
export function createProgram(): Command {
  const program = new Command('holdfast')
    .description("the operator's command line of Holdfast")
    .showHelpAfterError('(see --help)')
    .exitOverride();
  for (const add of [
    organizationCommands,
    applyCommand,
    appCommands,
    grantCommands,
    groupCommands,
    assignmentCommands,
    accessRequestCommands,
    secretCommands,
    deploymentSecretCommands,
    doctorCommand,
    supportBundleCommand,
    smokeCommand,
    secretRotationCommands,
    typeCommands,
    offerCommands,
    explainCommand,
    personCommands,
    presenceCommands,
    keyCommands,
    auditCommands,
    demoCommands,
    busCommands,
    eventCommands,
    webhookCommands,
    ssfCommands,
    databaseCommands,
    databaseRewriteCommand,
    restoreCommands,
    auditPartitionCommands,
    signAgainCommand,
    analyticsCommands,
  ])
    add(program);
  return program.addHelpText('after', examples);
}
