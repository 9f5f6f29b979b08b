import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A key that an app no longer has. Tokens that were requested with it are refused while they could be valid. */
@Entity('app_removed_key')
export class RemovedKeyEntity {
  @PrimaryColumn('text', { name: 'client_id' })
  clientId!: string;

  @PrimaryColumn('text')
  id!: string;

  @Column({ name: 'removed_at', type: 'timestamptz', precision: 3 })
  removedAt!: Date;
}
