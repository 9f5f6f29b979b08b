import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { CredentialType } from '@holdfast/contracts';

@Entity('credential_type')
export class CredentialTypeEntity {
  @PrimaryColumn('text')
  org!: string;

  @PrimaryColumn('text')
  name!: string;

  @Column('text')
  display!: string;

  /** ISO 8601 duration from issue to expiration. */
  @Column('text', { nullable: true })
  validity!: string | null;

  /** ISO 8601 duration before the expiration. */
  @Column('text', { name: 'renewal_window', nullable: true })
  renewalWindow!: string | null;

  @Column('boolean')
  revocable!: boolean;

  @Column('text', { array: true })
  holders!: CredentialType['holders'];

  @Column('int', { name: 'max_passkeys', default: 10 })
  maxPasskeys!: number;

  @Column('boolean', { name: 'is_default', default: false })
  isDefault!: boolean;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  /** Grows with each change: consumers ignore events with an older version than the one that they have. */
  @Column('int', { default: 1 })
  version!: number;
}

/** The type that every organization starts with (product §5). */
export const firstType: CredentialType = {
  name: 'customer',
  display: 'Customer',
  revocable: true,
  holders: ['passkey', 'wallet'],
  maxPasskeys: 10,
  isDefault: true,
};

export function toCredentialType(entity: CredentialTypeEntity): CredentialType {
  const { name, display, validity, renewalWindow, revocable, holders, maxPasskeys, isDefault } = entity;
  return {
    name,
    display,
    ...(validity !== null && { validity }),
    ...(renewalWindow !== null && { renewalWindow }),
    revocable,
    holders,
    maxPasskeys,
    isDefault,
  };
}

/** The columns of a type, for an insert or an update. */
export function columnsOf({ validity, renewalWindow, ...type }: CredentialType) {
  return { ...type, validity: validity ?? null, renewalWindow: renewalWindow ?? null };
}
