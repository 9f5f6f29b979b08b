import { CommandError } from '../command-error.js';
import { errorMessage } from '../error-message.js';
import type { OperatorSession } from '../operator-session.js';
import { plansOf } from './object-kinds.js';
import type { OrganizationFile } from './organization-file.js';
import { readState, type OrganizationState } from './organization-state.js';
import type { Step } from './plan.js';

export interface Applied {
  /** Whether the steps were run, or only planned. */
  applied: boolean;
  steps: Omit<Step, 'run'>[];
  notInFile: string[];
  /** What the operator does next. */
  next: string[];
}

/**
 * Makes an organization as a file declares it, and deletes nothing. It may be repeated, and continues after an error.
 * @throws CommandError when the file contradicts itself or asks for what cannot be changed, before anything is changed
 */
export async function applyFile(session: OperatorSession, file: OrganizationFile, yes: boolean): Promise<Applied> {
  const org = file.organization.shortId;
  let { steps, notInFile } = planned(file, await readState(session, org));
  if (!yes) return { applied: false, steps: steps.map(withoutRun), notInFile, next: [] };
  const done: Step[] = [];
  const next: string[] = [];
  const run = async (step: Step): Promise<void> => {
    try {
      const hint = await step.run(session.requestsFor(org), org);
      if (hint !== undefined) next.push(hint);
      done.push(step);
    } catch (error) {
      throw new CommandError(
        `${step.object} could not be ${step.action === 'create' ? 'created' : 'changed'}: ${errorMessage(error)}\n` +
          `${done.length} changes were made before. Run the command again to continue.`,
      );
    }
  };
  const [first] = steps;
  // A new organization has a credential type, so the rest is planned again.
  if (first?.action === 'create' && first.object === `organization ${org}`) {
    await run(first);
    ({ steps, notInFile } = planned(file, await readState(session, org)));
  }
  for (const step of steps) await run(step);
  return { applied: true, steps: done.map(withoutRun), notInFile, next };
}

function planned(file: OrganizationFile, state: OrganizationState): { steps: Step[]; notInFile: string[] } {
  const plans = plansOf(file, state);
  const problems = [...plans.flatMap((plan) => plan.problems), ...unknownTypes(file, state)];
  if (problems.length > 0)
    throw new CommandError(`The file cannot be applied, so nothing was changed:\n${problems.join('\n')}`);
  return { steps: plans.flatMap(({ steps }) => steps), notInFile: plans.flatMap(({ notInFile }) => notInFile) };
}

/**
 * Directory stores the name of an app's credential type without checking it: a mistyped one would deny every sign-in.
 */
function unknownTypes({ apps = [], credentialTypes = [] }: OrganizationFile, state: OrganizationState): string[] {
  const known = new Set([...credentialTypes, ...state.credentialTypes].map(({ name }) => name));
  if (!state.organization) known.add('customer');
  return apps.flatMap(({ name, credentialType }) =>
    credentialType === undefined || known.has(credentialType)
      ? []
      : [`app ${name}: there is no credential type ${credentialType}.`],
  );
}

function withoutRun({ action, object, changes }: Step): Omit<Step, 'run'> {
  return { action, object, changes };
}
