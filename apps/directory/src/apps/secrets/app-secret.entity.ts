import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { Maker } from '@holdfast/contracts';

@Entity('app_secret')
export class AppSecretEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text', { name: 'client_id' })
  clientId!: string;

  @Column('bytea')
  hash!: Buffer;

  /** The SECRET_PEPPER of the hash; null when it is unknown. */
  @Column('bytea', { name: 'pepper_id', nullable: true })
  pepperId!: Buffer | null;

  /** A valid secret holds one of two slots, so there are never three. */
  @Column('smallint')
  slot!: number;

  /** Client ID of the app that created it, and so has seen it; null when people or the operator did. */
  @Column('text', { name: 'created_by', nullable: true })
  createdBy!: string | null;

  /** Null of a secret from before its maker was stored, and of what an app created then. */
  @Column('text', { name: 'created_by_type', nullable: true })
  createdByType!: Maker['type'] | null;

  /** Null also of a person who was removed. */
  @Column('uuid', { name: 'created_by_person', nullable: true })
  createdByPerson!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'revoked_at', type: 'timestamptz', precision: 3, nullable: true })
  revokedAt!: Date | null;
}
