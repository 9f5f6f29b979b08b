import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

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

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @Column({ name: 'revoked_at', type: 'timestamptz', precision: 3, nullable: true })
  revokedAt!: Date | null;
}
