import type { Credential, CredentialAction } from '../holdfast/credentials-api.ts';

export interface Badge {
  kind: 'good' | 'bad' | '';
  text: string;
}

/** Expiration is no status at Holdfast: it follows from `expiresAt` and the clock. */
export function credentialBadge({ status, expiresAt }: Credential, now: number): Badge {
  if (status === 'issued' && expiresAt !== undefined && Date.parse(expiresAt) <= now)
    return { kind: 'bad', text: 'Expired' };
  return badges[status];
}

const badges: Record<Credential['status'], Badge> = {
  offered: { kind: '', text: 'Offered, not claimed' },
  issued: { kind: 'good', text: 'Works' },
  suspended: { kind: 'bad', text: 'Suspended' },
  revoked: { kind: 'bad', text: 'Revoked' },
};

/** The actions that Holdfast accepts for a credential. */
export function actionsOn({ status, revocable }: Credential): CredentialAction[] {
  if (!revocable) return [];
  if (status === 'issued') return ['suspend', 'revoke'];
  return status === 'suspended' ? ['resume', 'revoke'] : [];
}

/** Codes for programs. The audit log contains them, so they reveal nothing about the customer. */
const reasons = [
  { code: 'lost_device', text: 'Lost device' },
  { code: 'customer_request', text: 'The customer asked' },
  { code: 'misuse', text: 'Misuse' },
  { code: 'left', text: 'No longer a customer' },
];

/** Data of the template partials/credential.hbs. */
export function credentialView(credential: Credential, now: number) {
  const actions = actionsOn(credential);
  const isClaimed = credential.status === 'issued' || credential.status === 'suspended';
  return {
    ...credential,
    badge: credentialBadge(credential, now),
    canSuspend: actions.includes('suspend'),
    canResume: actions.includes('resume'),
    canRevoke: actions.includes('revoke'),
    cannotChange: isClaimed && !credential.revocable,
    reasons,
  };
}
