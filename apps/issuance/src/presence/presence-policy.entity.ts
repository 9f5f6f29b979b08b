import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PresencePolicy } from '@holdfast/contracts';

@Entity('presence_policy')
export class PresencePolicyEntity {
  @PrimaryColumn('text')
  org!: string;

  @Column('text')
  policy!: PresencePolicy['policy'];

  /** Sealed. */
  @Column('bytea', { name: 'turnstile_secret', nullable: true })
  turnstileSecret!: Buffer | null;

  @Column('int')
  version!: number;
}

/** What the operator may read: whether there is a secret, never which. */
export function toPresencePolicy({ policy, turnstileSecret }: PresencePolicyEntity): PresencePolicy {
  return { policy, turnstile: turnstileSecret !== null };
}
