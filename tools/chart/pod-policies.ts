import type { Rendered } from './helm.ts';

interface Container {
  name: string;
  image: string;
  securityContext?: {
    privileged?: boolean;
    allowPrivilegeEscalation?: boolean;
    readOnlyRootFilesystem?: boolean;
    capabilities?: { drop?: string[]; add?: string[] };
  };
  resources?: Record<'requests' | 'limits', Record<string, string> | undefined>;
  command?: string[];
  args?: string[];
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef?: { name: string; key: string } } }[];
}

export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  automountServiceAccountToken?: boolean;
  enableServiceLinks?: boolean;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  securityContext?: {
    runAsNonRoot?: boolean;
    runAsUser?: number;
    seccompProfile?: { type: string };
  };
  volumes?: Record<string, unknown>[];
  topologySpreadConstraints?: unknown[];
}

/** The pod that a manifest creates. */
export function podOf({ kind, spec = {} }: Rendered): PodSpec | undefined {
  if (kind === 'Pod') return spec as unknown as PodSpec;
  const { template, jobTemplate } = spec as {
    template?: { spec: PodSpec };
    jobTemplate?: { spec: { template: { spec: PodSpec } } };
  };
  return kind === 'CronJob' ? jobTemplate?.spec.template.spec : template?.spec;
}

/** The names of secrets that a variable may have: its value must come from a Secret. */
const secretVariable = /(PASSWORD|SEED|PEPPER|_KEY|_KEYS|TOKEN|SECRET)(_PREVIOUS)?$/;

/** What Pod Security `restricted` and we ask of every pod. Empty when nothing is wrong. */
export function podProblems(manifest: Rendered): string[] {
  const pod = podOf(manifest);
  if (!pod) return [];
  const { securityContext: pods = {} } = pod;
  const checks: [holds: boolean, problem: string][] = [
    [pods.runAsNonRoot === true && (pods.runAsUser ?? 0) > 0, 'may run as root'],
    [pods.seccompProfile?.type === 'RuntimeDefault', 'has no seccomp profile'],
    [!pod.hostNetwork && !pod.hostPID && !pod.hostIPC, 'shares a namespace of the host'],
    [!(pod.volumes ?? []).some((volume) => 'hostPath' in volume), 'mounts a path of the host'],
    [pod.enableServiceLinks === false, 'has the addresses of all services in its environment'],
    [
      pod.automountServiceAccountToken === false || manifest.metadata.labels?.['holdfast/token'] === 'needed',
      'has a token',
    ],
    ...[...(pod.initContainers ?? []), ...pod.containers].flatMap(containerChecks),
  ];
  return checks
    .filter(([holds]) => !holds)
    .map(([, problem]) => `${manifest.kind} ${manifest.metadata.name} ${problem}`);
}

function containerChecks({ name, image, securityContext = {}, resources, env = [] }: Container): [boolean, string][] {
  const { capabilities = {} } = securityContext;
  const plain = env.filter((variable) => variable.value !== undefined && secretVariable.test(variable.name));
  return [
    [!securityContext.privileged && securityContext.allowPrivilegeEscalation === false, `${name}: may gain privileges`],
    [securityContext.readOnlyRootFilesystem === true, `${name}: may write its root file system`],
    [capabilities.drop?.join() === 'ALL' && !capabilities.add, `${name}: has capabilities`],
    [!!resources?.limits?.memory && !!resources.limits.cpu, `${name}: has no limits`],
    [!!resources?.requests?.memory && !!resources.requests.cpu, `${name}: has no requests`],
    [
      /(:[\w.-]+|@sha256:[0-9a-f]{64})$/.test(image) && !image.endsWith(':latest'),
      `${name}: has no version (${image})`,
    ],
    [plain.length === 0, `${name}: has a secret in ${plain.map((variable) => variable.name).join(', ')}`],
  ];
}
